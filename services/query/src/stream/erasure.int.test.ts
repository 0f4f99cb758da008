import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { notificationAt } from '../query.fixture.ts'
import { createStreamTest, openStream, type StartedQuery, type StreamTest } from './stream.fixture.ts'

let world: StreamTest
let query: StartedQuery

beforeAll(async () => {
  world = await createStreamTest('erasure')
  query = await world.start({ heartbeatMs: 100, minErasedMs: 100, maxErasedMs: 200 })
})
afterAll(() => world?.end())

const subscriberId = randomUUID()
const newUser = () => ({ id: randomUUID(), subscriberId })
type User = ReturnType<typeof newUser>
const open = async (user: User, lastEventId?: string) => openStream(query.url, await world.token(user), lastEventId)
const notify = (...some: ReturnType<typeof notificationAt>[]) => world.store.notifications.insertNew(some)

const erasureOf = (personId: string) => ({ subscriberId, eventId: randomUUID(), time: new Date(), personId })
type Erasure = ReturnType<typeof erasureOf>

/** Takes the steps of an accepted erasure up to this phase, or all. */
async function erase(erasure: Erasure, upTo?: string): Promise<void> {
  for (;;) {
    const progress = await world.store.erasures.step(erasure)
    if (!progress || progress.done || progress.phase === upTo) return
  }
}

test('an erasure of an actor or a subject resets the open streams of the feeds that it changes, and no other', async () => {
  const [person, other] = [newUser(), newUser()]
  const [ofActor, ofSubject, unconcerned] = [newUser(), newUser(), newUser()]
  const actor = { id: person.id, name: 'Erased Person', image: '' }
  await notify(
    notificationAt(Date.now(), ofActor, { actor }),
    notificationAt(Date.now(), ofSubject, { subjectId: person.id }),
    notificationAt(Date.now(), unconcerned, { actor: { ...actor, id: other.id } }),
  )
  const streams = await Promise.all([ofActor, ofSubject, unconcerned].map((user) => open(user)))
  for (const stream of streams) await stream.until('heartbeat')
  const erasure = erasureOf(person.id)
  await world.store.erasures.accept([erasure])
  await erase(erasure)
  for (const stream of streams.slice(0, 2)) {
    const [reset] = await stream.until('reset')
    expect(JSON.parse(reset?.data ?? '')).toEqual({ reason: 'erased' })
  }
  const headers = { authorization: `Bearer ${await world.token(ofActor)}` }
  const list = await (await fetch(query.url, { headers })).json()
  expect(list).toMatchObject({ data: { notifications: [{ actor: { name: '' } }] } })
  // The count of changes that each one passes on afterwards shows that nothing else was underway.
  await notify(...[ofActor, ofSubject, unconcerned].map((user) => notificationAt(Date.now(), user)))
  for (const stream of streams) await stream.until('notification')
  expect(streams.map((stream) => stream.named('reset').length)).toEqual([1, 1, 0])
  for (const stream of streams) await stream.close()
})

test('a stream that resumes across the change is reset, although the erasure was accepted before its position', async () => {
  const [person, reader] = [newUser(), newUser()]
  await notify(notificationAt(Date.now(), reader, { actor: { id: person.id, name: 'Erased Person', image: '' } }))
  const erasure = erasureOf(person.id)
  await world.store.erasures.accept([erasure])
  await erase(erasure, 'feed')
  const behind = await positionBehind(reader)
  await erase(erasure, 'fan-outs')
  const stream = await open(reader, behind)
  const [reset] = await stream.until('reset')
  expect([stream.events[0], JSON.parse(reset?.data ?? '')]).toEqual([reset, { reason: 'erased' }])
  await stream.close()
})

/** A position that is not older than the erasure: it has whole seconds. */
async function positionBehind(reader: User): Promise<string> {
  for (let from: string | undefined; ; ) {
    // Positions advance with writes.
    await notify(notificationAt(Date.now(), newUser()))
    const stream = await open(reader, from)
    await stream.until('unread-count')
    const isBehind = from !== undefined && stream.named('reset').length === 0
    from = (await stream.until('heartbeat', 2)).at(-1)?.lastEventId
    await stream.close()
    if (isBehind) return from ?? ''
  }
}
