import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
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
    archived: fc.constantFrom('false', 'true', 'any'),
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

const actions = ['get', 'read', 'unread', 'archived', 'unarchived'] as const

const one = fc.record({ reader: clientIndex, id: fc.nat(), action: fc.constantFrom(...actions) }).map(
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
      const isIt = (candidate: ListedNotification) => candidate.id === id
      if (action === 'read') world.model.markRead(client, isIt)
      if (action === 'unread') world.model.markUnread(client, id)
      if (action === 'archived') world.model.archive(client, isIt)
      if (action === 'unarchived') world.model.unarchive(client, isIt)
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
    action: fc.constantFrom('read', 'archived', 'unarchived'),
    locationType: fc.option(fc.constantFrom(...locationTypes)),
    location: fc.option(fc.integer({ min: 1, max: 2 })),
    onlyRead: fc.boolean(),
  })
  .map(
    ({ reader, ids: numbers, upTo: n, action, locationType: type, location, onlyRead }): Operation =>
      async (world) => {
        const client = clientOf(world, reader)
        const ids = numbers?.map((number) => idOf(world, number))
        const upTo = n === null ? undefined : idOf(world, n)
        const locationType = type ?? undefined
        const locationId = location === null ? undefined : locationOrSubject(location)
        const isReadAlone = onlyRead && action === 'archived'
        const all = { all: true, upTo, locationType, locationId, ...(isReadAlone ? { status: 'read' } : {}) }
        const { status, body } = await client.send('POST', `/notifications/${action}`, ids ? { ids } : all)
        expect(status).toBe(200)
        const isChosen = (found: ListedNotification) => {
          if (ids) return ids.includes(found.id)
          if (upTo !== undefined && found.id > upTo) return false
          if (locationType !== undefined && found.locationType !== locationType) return false
          if (locationId !== undefined && found.locationId !== locationId) return false
          return !isReadAlone || found.readAt !== null
        }
        const change = { read: world.model.markRead, archived: world.model.archive, unarchived: world.model.unarchive }
        const updated = change[action](client, isChosen)
        const { unreadCount, unseenCount } = world.model.counts(client)
        expect(body.data).toEqual({ updated, unreadCount, unseenCount })
      },
  )

const seen = fc.record({ reader: clientIndex, upTo: fc.option(fc.nat()) }).map(
  ({ reader, upTo: n }): Operation =>
    async (world) => {
      const client = clientOf(world, reader)
      const upTo = n === null ? undefined : idOf(world, n)
      world.model.markSeen(client, upTo)
      const { unseenCount, seenUpTo } = world.model.counts(client)
      const ask = upTo === undefined ? undefined : { upTo }
      // A notification with the time of another process may be dated after this one's: it is marked once that has come.
      await eventually(
        async () => {
          const { status, body } = await client.send('POST', '/notifications/seen', ask)
          expect({ status, data: body.data }).toEqual({ status: 200, data: { unseenCount, seenUpTo } })
          return true
        },
        { every: 5, description: 'the answer of the model' },
      )
    },
)

type Group = {
  readonly locationType: string
  readonly locationId: string
  readonly latest: ListedNotification
  readonly count: number
  readonly unreadCount: number
  readonly actors: readonly { readonly id: string }[]
  readonly otherActors: number
}

const groups = fc
  .record({
    reader: clientIndex,
    status: fc.constantFrom('all', 'read', 'unread'),
    limit: fc.integer({ min: 1, max: 4 }),
  })
  .map(
    ({ reader, status, limit }): Operation =>
      async (world) => {
        const client = clientOf(world, reader)
        const found: Group[] = []
        for (let cursor = ''; ; ) {
          const query = `status=${status}&limit=${limit}${cursor && `&cursor=${cursor}`}`
          const answer = await client.send('GET', `/notifications/groups?${query}`)
          expect(answer.status).toBe(200)
          const page = answer.body.data as { groups: Group[]; nextCursor: string | null; truncated: boolean }
          expect(page.truncated).toBe(false)
          found.push(...page.groups)
          if (page.nextCursor === null) break
          expect(page.groups).toHaveLength(limit)
          cursor = page.nextCursor
        }
        const { model, persons } = world
        const latest = model.groups(client, status).map((group) => group.latest)
        expectEqual(
          model,
          client,
          latest,
          found.map((group) => group.latest),
        )
        for (const [n, { actorIds }] of model.groups(client, status).entries())
          for (const [at, actor] of (found[n]?.actors ?? []).entries()) persons.learn(actorIds[at] ?? '', actor.id)
        expect(
          found.map(({ latest: _, actors, ...group }) => ({ ...group, actors: actors.map(({ id }) => id) })),
        ).toEqual(
          model.groups(client, status).map(({ latest: { locationType, locationId }, actorIds, ...group }) => ({
            ...{ locationType, locationId, ...group },
            actors: actorIds.slice(0, 3),
            otherActors: Math.max(0, actorIds.length - 3),
          })),
        )
      },
  )

/** For feeds without events: what is muted at the moment an event is stored is not known. */
const mute = fc
  .record({
    user: clientIndex,
    kind: fc.constantFrom('location', 'actor'),
    location: fc.integer({ min: 1, max: 2 }),
    actor: clientIndex,
    action: fc.constantFrom('PUT', 'PUT', 'DELETE', 'GET'),
  })
  .map(
    ({ user, kind, location, actor, action }): Operation =>
      async (world) => {
        const client = clientOf(world, user)
        const id = kind === 'location' ? locationOrSubject(location) : clientOf(world, actor).userId
        if (action === 'PUT') {
          const { status, body } = await client.send('PUT', `/mutes/${kind}/${id}`, {})
          expect([status, body.data]).toEqual([200, { kind, id, until: null }])
          world.model.mute(client, { kind, id })
        }
        if (action === 'DELETE') {
          expect((await client.send('DELETE', `/mutes/${kind}/${id}`)).status).toBe(204)
          world.model.unmute(client, { kind, id })
        }
        const mutes = world.model.mutesOf(client).map((one) => ({ ...one, until: null }))
        expect((await client.send('GET', '/mutes')).body.data).toEqual({ mutes })
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
  { weight: 1, arbitrary: named('seen', seen) },
  { weight: 1, arbitrary: named('groups', groups) },
)

/** Any operation, also those that mute. */
export const operationOrMute = fc.oneof(
  { weight: 8, arbitrary: operation },
  { weight: 1, arbitrary: named('mute', mute) },
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
