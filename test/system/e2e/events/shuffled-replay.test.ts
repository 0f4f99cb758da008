import { createHash, randomBytes } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { structured } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { createRandom, expectedKeys, makeEvents, type World } from '../support/shuffled-events.ts'
import { type Keyed, keysOf } from '../support/stored.ts'

/** A short form by default; `HERALD_REPLAY_EVENTS=100000` is the whole one. */
const count = Number(process.env.HERALD_REPLAY_EVENTS ?? 2_000)
const seed = Number(process.env.HERALD_REPLAY_SEED ?? Date.now() % 1_000_000)
const limitMs = 60_000 + count * 10

let herald: TestHerald
beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

type Events = ReturnType<typeof makeEvents>

async function deliver({ prefix }: World, all: Events): Promise<void> {
  for (const [topic, some] of Map.groupBy(all, (one) => one.topic)) {
    await herald.publish(
      herald.topics[topic],
      some.map(({ event }) => structured(event)),
    )
  }
  await herald.untilConsumed(limitMs)
  const ofWorld = { ...keysOf(prefix, 2), work: { $exists: true } }
  const open = () => herald.database.collection<Keyed>('erasures').countDocuments(ofWorld)
  await eventually(async () => (await open()) === 0, { within: limitMs, every: 200 })
}

type Bytes = { toString(encoding: 'hex'): string }
const pseudonym = /^.{12}8.{3}[89ab]/
const hexOf = (value: Bytes) => value.toString('hex')
/** Pseudonyms differ between subscribers. */
const personIn = (value: Bytes) => (pseudonym.test(hexOf(value)) ? 'pseudonym' : hexOf(value))
/** A key without the digits that differ between worlds: those of the world, and the hash in the id of an event. */
const alike = (key: Bytes) => hexOf(key).slice(8, -20)

/** Everything that is stored of a world, in one order. */
async function state({ prefix }: World) {
  const hash = createHash('sha256')
  const keys: string[] = []
  let masked = 0
  const all = (name: string, uuids: number) =>
    herald.database.collection<Keyed>(name).find(keysOf(prefix, uuids)).sort({ _id: 1 })
  for await (const one of all('notifications', 3)) {
    const { _id, actorId, subjectId, actorName, metadata, updatedAt = null, unread } = one
    keys.push(hexOf(_id))
    if (updatedAt !== null) masked++
    hash.update(
      JSON.stringify([alike(_id), personIn(actorId), personIn(subjectId), actorName, metadata, updatedAt, unread]),
    )
  }
  for await (const one of all('change-entries', 2)) {
    hash.update(JSON.stringify([alike(one._id), personIn(one.userId), one.userName, one.userEmail]))
  }
  for await (const one of all('fan-outs', 2)) {
    const positions = [...(one.retractions ?? []).map((entry: { positions: Bytes }) => entry.positions), one.erased]
      .filter((some) => some !== undefined)
      .flatMap((some) => hexOf(some).match(/..../g) ?? [])
    const gone = [...new Set(positions)].sort()
    hash.update(JSON.stringify([alike(one._id), gone, personIn(one.actorId), personIn(one.subjectId)]))
  }
  return { keys: keys.sort(), masked, hash: hash.digest('hex') }
}

test(
  `${count} events with retractions and erasures leave the same state in three orders, replayed or not; seed ${seed}`,
  async () => {
    const { shuffled } = createRandom(seed + 1)
    const start = Date.now() - 60 * 60 * 1_000
    const newWorld = () => {
      const world = { prefix: randomBytes(4).toString('hex'), start }
      return { world, all: makeEvents(count, seed, world) }
    }
    const [one, two] = [newWorld(), newWorld()]
    await deliver(one.world, shuffled(one.all))
    const first = await state(one.world)
    expect(first.keys).toEqual(expectedKeys(one.all))
    expect(first.masked).toBeGreaterThan(0)
    await deliver(one.world, shuffled(one.all))
    expect(await state(one.world)).toEqual(first)
    await deliver(two.world, shuffled(two.all))
    expect(await state(two.world)).toEqual({ ...first, keys: expectedKeys(two.all) })
    const retractions = one.all.filter(({ event }) => event.type === 'herald.mention.retracted.v1').length
    expect([retractions / count > 0.09, first.keys.length > count / 10]).toEqual([true, true])
  },
  5 * limitMs,
)
