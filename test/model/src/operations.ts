import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import fc from 'fast-check'
import { type ChangeLogModel, createChangeLogModel } from './change-log-model.ts'
import type { Client } from './client.ts'
import { createErasedPersons, type ErasedPersons } from './erased-persons.ts'
import type { Event } from './event-publisher.ts'
import {
  createFeedModel,
  type FeedModel,
  type Filters,
  type ListedNotification,
  type Recipient,
  timeOf,
} from './feed-model.ts'
import { createRetractions, type Retractions } from './retractions.ts'

/** The state of a run: clients of Herald, the model, every notification id created and event published so far. */
export type World = {
  readonly clients: readonly Client[]
  readonly model: FeedModel
  readonly log: ChangeLogModel
  readonly persons: ErasedPersons
  readonly retractions: Retractions
  readonly ids: string[]
  readonly requests: Request[]
  readonly published: Event[]
}
/** A `POST /` with an `Idempotency-Key`. */
type Request = {
  readonly client: Client
  readonly id: string
  readonly key: string
  readonly body: { recipientIds: string[]; subjectId: string }
}

/** A model of Herald without anything stored. */
export function createWorld(clients: readonly Client[]): World {
  const [persons, retractions] = [createErasedPersons(), createRetractions()]
  const [model, log] = [createFeedModel(persons, retractions), createChangeLogModel(persons)]
  return { clients, persons, retractions, model, log, ids: [], requests: [], published: [] }
}

export type Operation = (world: World) => Promise<void>

export const locationOrSubject = (n: number) => `00000000-0000-4000-8000-00000000000${n}`
const unknownId = 'ffffffff-0000-4000-8000-000000000000'
export const clientIndex = fc.nat({ max: 2 })
export const locationTypes = ['comment', 'file'] as const

/** The n-th created id, or an unknown one. */
const idOf = ({ ids }: World, n: number) => (ids.length === 0 ? unknownId : (ids[n % (ids.length + 1)] ?? unknownId))
export const clientOf = ({ clients }: World, n: number) => clients[n] as Client

/** Any JSON that Herald accepts; the rejected key `__proto__` is tested elsewhere. */
const freeForm = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('__proto__'))

const create = fc
  .record({
    author: clientIndex,
    recipients: fc.uniqueArray(clientIndex, { minLength: 1 }),
    withUnknownRecipient: fc.boolean(),
    withKey: fc.boolean(),
    locationType: fc.constantFrom(...locationTypes),
    location: fc.integer({ min: 1, max: 2 }),
    subject: fc.integer({ min: 3, max: 4 }),
    about: fc.option(clientIndex),
    add: freeForm.map((value) => ({ value })),
  })
  .map(
    ({ author, recipients, withUnknownRecipient, withKey, locationType, location, subject, about, add }): Operation =>
      async (world) => {
        const client = clientOf(world, author)
        const userIds = [...new Set(recipients.map((n) => clientOf(world, n).userId))]
        const request = {
          type: 'mention',
          actorType: 'user',
          subjectId: about === null ? locationOrSubject(subject) : clientOf(world, about).userId,
          subjectType: 'user',
          locationId: locationOrSubject(location),
          locationType,
          metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' }, add, edit: {} },
          recipientIds: withUnknownRecipient ? [...userIds, unknownId] : userIds,
        }
        const key = randomUUID()
        const headers = withKey ? { 'idempotency-key': key } : undefined
        const { status, body } = await client.send('POST', '/', request, headers)
        expect(status).toBe(201)
        const { recipients: _, ...notification } = body.data as ListedNotification & { recipients: unknown }
        const { id } = notification
        world.ids.push(id)
        if (withKey) world.requests.push({ client, id, key, body: request })
        world.model.create({
          // Recipients belong to the author's subscriber; another subscriber's user with the same id gets nothing.
          subscriberId: client.subscriberId,
          content: { ...notification, readAt: null, emailSentAt: null },
          recipientIds: userIds,
          createdAt: timeOf(id),
          via: 'http',
        })
      },
  )

const filters = fc.record(
  {
    status: fc.constantFrom('all', 'read', 'unread'),
    locationType: fc.constantFrom(...locationTypes),
    locationId: fc.constantFrom(locationOrSubject(1), locationOrSubject(2)),
    subjectId: fc.constantFrom(locationOrSubject(3), locationOrSubject(4)),
  },
  { requiredKeys: [] },
)

const page = fc
  .record({ reader: clientIndex, filters, limit: fc.integer({ min: 1, max: 5 }), cursor: fc.option(fc.nat()) })
  .map(
    ({ reader, filters, limit, cursor }): Operation =>
      async (world) => {
        const client = clientOf(world, reader)
        const before = cursor === null ? undefined : idOf(world, cursor)
        const query = new URLSearchParams({ ...(filters as Record<string, string>), limit: String(limit) })
        if (before !== undefined) query.set('cursor', before)
        const { status, body } = await client.send('GET', `/?${query}`)
        expect(status).toBe(200)
        const expected = world.model.list(client, filters as Filters, before)
        const { notifications, nextCursor } = body.data as {
          notifications: ListedNotification[]
          nextCursor: string | null
        }
        expectEqual(world.model, client, expected.slice(0, limit), notifications)
        expect(nextCursor).toBe(expected.length > limit ? notifications.at(-1)?.id : null)
      },
  )

const one = fc.record({ reader: clientIndex, id: fc.nat(), action: fc.constantFrom('get', 'read', 'unread') }).map(
  ({ reader, id: n, action }): Operation =>
    async (world) => {
      const client = clientOf(world, reader)
      const id = idOf(world, n)
      const expected = world.model.find(client, id)
      const answer =
        action === 'get'
          ? await client.send('GET', `/notifications/${id}`)
          : await client.send('PATCH', `/notifications/${id}/${action}`)
      if (!expected) return expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
      expect(answer.status).toBe(200)
      if (action === 'read') world.model.markRead(client, (candidate) => candidate === id)
      if (action === 'unread') world.model.markUnread(client, id)
      expectEqual(
        world.model,
        client,
        [world.model.find(client, id) ?? expected],
        [answer.body.data as ListedNotification],
      )
    },
)

const markMany = fc
  .record({
    reader: clientIndex,
    ids: fc.option(fc.array(fc.nat(), { minLength: 1, maxLength: 5 })),
    upTo: fc.option(fc.nat()),
  })
  .map(
    ({ reader, ids: numbers, upTo: n }): Operation =>
      async (world) => {
        const client = clientOf(world, reader)
        const ids = numbers?.map((number) => idOf(world, number))
        const upTo = ids || n === null ? undefined : idOf(world, n)
        const { status, body } = await client.send('POST', '/notifications/read', ids ? { ids } : { all: true, upTo })
        expect(status).toBe(200)
        const updated = world.model.markRead(client, (id) =>
          ids ? ids.includes(id) : upTo === undefined || id <= upTo,
        )
        expect(body.data).toEqual({ updated, unreadCount: world.model.unreadCount(client) })
      },
  )

const retract = fc.record({ actor: clientIndex, id: fc.nat() }).map(
  ({ actor, id: n }): Operation =>
    async (world) => {
      const client = clientOf(world, actor)
      const id = idOf(world, n)
      const { status, body } = await client.send('DELETE', `/notifications/${id}`)
      if (world.model.retract(client, id)) expect([status, body]).toEqual([204, {}])
      else expect({ status, body }).toMatchObject({ status: 404, body: { code: 'not_found' } })
    },
)

/** Sends the same request again: the first response, or none if a person in it was erased since. */
export async function expectAnswerAgain({ persons }: World, { client, id, key, body: sent }: Request): Promise<void> {
  const { status, body } = await client.send('POST', '/', sent, { 'idempotency-key': key })
  const inIt = [client.userId, sent.subjectId, ...sent.recipientIds]
  const isErased = inIt.some((person) => persons.isErased(client.subscriberId, person, timeOf(id)))
  if (isErased) expect({ status, body }).toMatchObject({ status: 409, body: { code: 'request_erased' } })
  else expect({ status, body }).toMatchObject({ status: 201, body: { data: { id } } })
}

const createAgain = fc.nat().map(
  (n): Operation =>
    async (world) => {
      const request = world.requests[n % (world.requests.length || 1)]
      if (request) await expectAnswerAgain(world, request)
    },
)

/** Names an operation in fast-check's output. */
export const named = (name: string, arbitrary: fc.Arbitrary<Operation>): fc.Arbitrary<Operation> =>
  arbitrary.map((operate) => Object.assign(operate, { [fc.toStringMethod]: () => name }))

/** Any operation, by weight. */
export const operation = fc.oneof(
  { weight: 3, arbitrary: named('create', create) },
  { weight: 3, arbitrary: named('page', page) },
  { weight: 4, arbitrary: named('one', one) },
  { weight: 2, arbitrary: named('mark many', markMany) },
  { weight: 1, arbitrary: named('create again', createAgain) },
  { weight: 1, arbitrary: named('retract', retract) },
)

export function expectEqual(
  model: FeedModel,
  recipient: Recipient,
  expected: readonly ListedNotification[],
  seen: readonly ListedNotification[],
): void {
  const isEqual =
    expected.length === seen.length &&
    expected.every((one, n) => model.isEqual(recipient, one, seen[n] as ListedNotification))
  // Only for the message: Jest's comparison of long lists is slow.
  if (!isEqual) expect(seen).toEqual(expected)
}
