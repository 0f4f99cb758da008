import { randomUUID } from 'node:crypto'
import { isFullRun } from '@herald/jest-preset/full-run'
import { eventually } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { readAnnouncements } from '../support/announcements.ts'
import { createBody } from '../support/create-body.ts'
import type { Event } from '../support/events.ts'
import type { WriteCommand } from '../support/held-commands.ts'
import type { Answer } from '../support/http-client.ts'
import { createKillableIngest, type KillableIngest, type UserOfBoth } from '../support/killable-ingest.ts'
import { dataOf, listIds } from '../support/notifications.ts'
import { expectProblem } from '../support/problem.ts'
import type { User } from '../support/user.ts'

let herald: KillableIngest
beforeAll(async () => {
  herald = await createKillableIngest('killed-requests')
}, 120_000)
afterAll(() => herald?.stop())
afterEach(() => herald?.heldCommands.letPass())

/** A subscriber with an actor and three readers, and a request of the actor that names the readers. */
async function newCase() {
  const subscriberId = randomUUID()
  const newUser = () => herald.newUser({ subscriberId, id: randomUUID() })
  const [actor, ...readers] = await Promise.all([newUser(), newUser(), newUser(), newUser()])
  return { actor, readers, body: createBody(readers.map(({ id }) => id)), key: { 'idempotency-key': randomUUID() } }
}
type Case = Awaited<ReturnType<typeof newCase>>

const post = async ({ actor, body, key }: Pick<Case, 'actor' | 'body'> & { key?: Record<string, string> }) =>
  (await actor.ingest()).post('/', body, key)
const remove = async (actor: UserOfBoth, id: string) =>
  (await actor.ingest()).send(`/notifications/${id}`, { method: 'DELETE' })
const idOf = (answer: Answer) => dataOf<{ id: string }>(answer).id
const unreadCount = async (user: User) =>
  dataOf<{ unreadCount: number }>(await user.get('/notifications/unread-count')).unreadCount

/** Every reader has these notifications, none twice, and counts of them. */
async function expectListed(readers: readonly UserOfBoth[], ids: readonly string[]): Promise<void> {
  for (const { query } of readers) {
    expect(await listIds(query)).toEqual(ids)
    expect(await unreadCount(query)).toBe(ids.length)
  }
}

/** Kills ingest while it waits for a write of the request, then starts it again. The request has no answer. */
async function killDuring(write: WriteCommand, request: () => Promise<Answer>): Promise<void> {
  await herald.heldCommands.hold(write)
  const answered = request().then(
    ({ status }) => status,
    () => 'no answer',
  )
  await herald.heldCommands.untilHeld(write)
  await herald.kill()
  expect(await answered).toBe('no answer')
  await herald.heldCommands.letPass()
  await herald.startAgain()
}

/** Expects the announcements of each notification; each fact has one id, however often it comes. */
async function expectAnnounced(type: 'created' | 'retracted', ids: readonly string[]): Promise<void> {
  const of = (id: string, events: readonly Event[]) =>
    events.filter((event) => event.type === `herald.notification.${type}.v1` && event.id.startsWith(`${id}/`))
  const { brokers, notificationTopic } = herald
  const complete = (events: readonly Event[]) => ids.every((id) => of(id, events).length > 0)
  const events = await readAnnouncements(brokers, notificationTopic, complete)
  for (const id of ids) expect(new Set(of(id, events).map((event) => `${event.id} ${event.time}`)).size).toBe(1)
}

const inFullRun = (points: WriteCommand[]) => (isFullRun ? points : [])

/** The store's own tests kill at every operation; here it is a process, with its requests and what is left of them. */
const retractionPoints: WriteCommand[] = [
  { command: 'delete', collection: 'notifications' },
  ...inFullRun([
    { command: 'update', collection: 'fan-outs' },
    { command: 'insert', collection: 'tombstones' },
    { command: 'update', collection: 'tombstones' },
    { command: 'update', collection: 'notifications' },
    { command: 'update', collection: 'tombstones', after: 1 },
  ]),
]
const creationPoints: WriteCommand[] = [
  { command: 'insert', collection: 'notifications' },
  ...inFullRun([
    { command: 'update', collection: 'fan-outs' },
    { command: 'insert', collection: 'fan-outs' },
    { command: 'update', collection: 'create-requests' },
  ]),
]

test('a DELETE that is killed retracts when it is repeated; creates and retractions that are killed complete once', async () => {
  const create = async (point: WriteCommand) => {
    const given = await newCase()
    const { actor, readers, body } = given
    const kept = idOf(await post({ actor, body }))
    const created = await post(given)
    await expectListed(readers, [idOf(created), kept])
    return { ...given, point, kept, created, id: idOf(created) }
  }
  const abandonedDelete = await create({ command: 'update', collection: 'fan-outs' })
  const cases = await Promise.all(retractionPoints.map(create))
  // Announced by now: the lease of a killed relay would delay the rest.
  await expectAnnounced(
    'created',
    [abandonedDelete, ...cases].flatMap(({ id, kept }) => [id, kept]),
  )

  // First: their leases end while the rest goes on.
  const { key: _, ...abandoned } = await newCase()
  await killDuring({ command: 'insert', collection: 'notifications' }, () => post(abandoned))
  const repeated: Case[] = []
  for (const point of creationPoints) {
    const request = await newCase()
    await killDuring(point, () => post(request))
    repeated.push(request)
  }

  await killDuring(abandonedDelete.point, () => remove(abandonedDelete.actor, abandonedDelete.id))
  for (const given of cases) {
    const { actor, readers, point, kept, created, id } = given
    await killDuring(point, () => remove(actor, id))
    for (let times = 0; times < 2; times++) expect((await remove(actor, id)).status).toBe(204)
    await expectListed(readers, [kept])
    for (const { query } of readers) expectProblem(await query.get(`/notifications/${id}`), 404, 'not_found')
    const again = await post(given)
    expect([again.status, again.json]).toEqual([201, created.json])
    await expectListed(readers, [kept])
  }

  const ids = await Promise.all(
    repeated.map(async (request) => {
      const answer = await eventually(
        async () => {
          const found = await post(request)
          if (found.status === 201) return found
          expectProblem(found, 409, 'request_in_progress')
          return undefined
        },
        { within: 120_000, every: 500, description: 'the lease of the killed request ends' },
      )
      expect((await post(request)).json).toEqual(answer.json)
      await expectListed(request.readers, [idOf(answer)])
      return idOf(answer)
    }),
  )
  const [first, ...others] = abandoned.readers as [UserOfBoth, ...UserOfBoth[]]
  const completed = await eventually(async () => (await listIds(first.query))[0], { within: 120_000, every: 500 })
  await eventually(async () => (await listIds((others.at(-1) as UserOfBoth).query)).length > 0)
  await expectListed(abandoned.readers, [completed])
  const { readers, kept } = abandonedDelete
  await eventually(async () => expectListed(readers, [kept]).then(() => true), { within: 120_000, every: 500 })

  await expectAnnounced('created', [...ids, completed])
  await expectAnnounced(
    'retracted',
    [abandonedDelete, ...cases].map(({ id }) => id),
  )
}, 360_000)
