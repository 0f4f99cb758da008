import { createHash } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { structured } from '../support/events.ts'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { createRandom, expectedKeys, makeEvents } from '../support/shuffled-events.ts'

/** A short form by default; `HERALD_REPLAY_EVENTS=100000` is the whole one. */
const count = Number(process.env.HERALD_REPLAY_EVENTS ?? 2_000)
const seed = Number(process.env.HERALD_REPLAY_SEED ?? Date.now() % 1_000_000)
const limitMs = 60_000 + count * 10

let heralds: TestHerald[] = []
beforeAll(async () => {
  // Settings of its own: never a Herald that others use.
  heralds = [
    await startTestHerald('replay-one', { LOG_LEVEL: 'warn' }),
    await startTestHerald('replay-two', { LOG_LEVEL: 'warn' }),
  ]
}, 120_000)
afterAll(async () => {
  for (const herald of heralds) await herald.stop()
})

async function deliver(herald: TestHerald, all: ReturnType<typeof makeEvents>): Promise<void> {
  for (const [topic, some] of Map.groupBy(all, (one) => one.topic)) {
    await herald.publish(
      herald.topics[topic],
      some.map(({ event }) => structured(event)),
    )
  }
  await eventually(async () => (await herald.progress()).isAtEnd, { within: limitMs, every: 500 })
  const open = () => herald.database.collection('erasures').countDocuments({ work: { $exists: true } })
  await eventually(async () => (await open()) === 0, { within: limitMs, every: 200 })
}

const pseudonym = /^.{12}8.{3}[89ab]/
const hexOf = (value: { toString(encoding: 'hex'): string }) => value.toString('hex')
/** Pseudonyms differ between databases. */
const personIn = (value: { toString(encoding: 'hex'): string }) =>
  pseudonym.test(hexOf(value)) ? 'pseudonym' : hexOf(value)

/** Everything that is stored, in one order. */
async function state({ database }: TestHerald) {
  const hash = createHash('sha256')
  const keys: string[] = []
  let masked = 0
  for await (const one of database.collection('notifications').find().sort({ _id: 1 })) {
    const { _id, actorId, subjectId, actorName, metadata, updatedAt = null, unread } = one
    keys.push(hexOf(_id))
    if (updatedAt !== null) masked++
    hash.update(
      JSON.stringify([hexOf(_id), personIn(actorId), personIn(subjectId), actorName, metadata, updatedAt, unread]),
    )
  }
  for await (const one of database.collection('change-entries').find().sort({ _id: 1 })) {
    hash.update(JSON.stringify([hexOf(one._id), personIn(one.userId), one.userName, one.userEmail]))
  }
  for await (const one of database.collection('fan-outs').find().sort({ _id: 1 })) {
    const positions = [...(one.retractions ?? []).map((entry: { positions: Buffer }) => entry.positions), one.erased]
      .filter((some) => some !== undefined)
      .flatMap((some) => hexOf(some).match(/..../g) ?? [])
    const gone = [...new Set(positions)].sort()
    hash.update(JSON.stringify([hexOf(one._id), gone, personIn(one.actorId), personIn(one.subjectId)]))
  }
  return { keys: keys.sort(), masked, hash: hash.digest('hex') }
}

test(
  `${count} events with retractions and erasures leave the same state in three orders, replayed or not; seed ${seed}`,
  async () => {
    const all = makeEvents(count, seed)
    const { shuffled } = createRandom(seed + 1)
    const [one, two] = heralds as [TestHerald, TestHerald]
    await deliver(one, shuffled(all))
    const first = await state(one)
    expect(first.keys).toEqual(expectedKeys(all))
    expect(first.masked).toBeGreaterThan(0)
    await deliver(one, shuffled(all))
    expect(await state(one)).toEqual(first)
    await deliver(two, shuffled(all))
    expect(await state(two)).toEqual(first)
    const retractions = all.filter(({ event }) => event.type === 'herald.mention.retracted.v1').length
    expect([retractions / count > 0.09, first.keys.length > count / 10]).toEqual([true, true])
  },
  5 * limitMs,
)
