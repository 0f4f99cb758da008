import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { IHeaders } from 'kafkajs'
import { originOf, readDeadLetters } from '../support/dead-letters.ts'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { idsListed, loadFor, publishLoad } from '../support/load.ts'
import { type Poison, poisonFor } from '../support/poison-records.ts'
import { eventually } from '../support/polling.ts'
import { countStored, idsStored } from '../support/stored.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
let user: User
const events = 20_000
/** What was published and can never succeed, by its place: topic/partition/offset. */
const poisoned = new Map<string, Poison>()

beforeAll(async () => {
  herald = await startTestHerald('crash')
  user = await herald.newUser({ scope: 'change-entries:read' })
})
afterAll(() => herald?.stop())

/** Every poison record goes into the mention topic, those that are no events at all into the change topic too. */
async function publishPoison() {
  const { mention, change } = herald.topics
  for (const { what, code, message } of poisonFor(user.subscriberId)) {
    for (const topic of code === 'not_json' || code === 'not_cloudevent' ? [mention, change] : [mention]) {
      const stamped = { ...message, timestamp: String(Date.now() - 5_000 - poisoned.size) }
      const [place] = await herald.publish(topic, [stamped])
      poisoned.set(`${topic}/${place?.partition}/${place?.baseOffset}`, { what, code, message: stamped })
    }
  }
}

test('ingest killed in the middle of 20,000 events and started again has stored each of them once', async () => {
  const load = loadFor(user, events)
  const publishing = Promise.all([publishLoad(herald, load), publishPoison()])
  await eventually(async () => (await countStored(herald.database)) > 1_000, { every: 5 })
  herald.ingest.kill('SIGKILL')
  await herald.ingest.exited
  const [published] = await publishing
  const { notifications, changeEntries } = await idsStored(herald.database)
  const storedBefore = new Set([...notifications, ...changeEntries])
  expect(storedBefore.size).toBeGreaterThan(1_000)
  expect(storedBefore.size).toBeLessThan(events)
  const { isCommitted } = await herald.progress()
  const lost = published.filter((event) => isCommitted(event) && !storedBefore.has(event.id))
  expect(lost.slice(0, 3)).toEqual([])

  await herald.ingest.restart()
  const everything = async () => (await countStored(herald.database)) >= events
  await eventually(everything, { within: 120_000, every: 200, what: 'everything is stored' })
  expect(await idsStored(herald.database)).toEqual(load.stored)
  expect(await idsListed(user)).toEqual(load.stored)
}, 180_000)

const bytes = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(bytes) : typeof value === 'string' ? Buffer.from(value) : (value ?? null)
const headerBytes = (headers: IHeaders = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, bytes(value)]))

test('every record that can never succeed stands among the dead letters as it came, with the reason and its place', async () => {
  const letters = await readDeadLetters(herald.brokers, herald.topics.deadLetter, poisoned.size)
  expect([...new Set(letters.map(originOf))].sort()).toEqual([...poisoned.keys()].sort())
  for (const letter of letters) {
    const origin = originOf(letter)
    const [topic, partition, offset] = origin.split('/')
    const { what, code, message } = poisoned.get(origin) as Poison
    const added = {
      'herald-error-code': code,
      'herald-error-detail': letter.headers?.['herald-error-detail'],
      'herald-origin-topic': topic,
      'herald-origin-partition': partition,
      'herald-origin-offset': offset,
      'herald-origin-timestamp': message.timestamp,
    }
    expect({ what, key: letter.key, value: letter.value, headers: headerBytes(letter.headers) }).toStrictEqual({
      what,
      key: bytes(message.key),
      value: bytes(message.value),
      headers: headerBytes({ ...message.headers, ...added }),
    })
    const detail = String(letter.headers?.['herald-error-detail'])
    expect(detail).toMatch(/./)
    expect(Buffer.byteLength(detail)).toBeLessThanOrEqual(1_024)
  }
})
