import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { IHeaders } from 'kafkajs'
import { originOf, readDeadLetters } from '../support/dead-letters.ts'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { idsListed, loadFor, publishLoad } from '../support/load.ts'
import { type Poison, poisonFor } from '../support/poison-records.ts'
import { countStored, idsStored } from '../support/stored.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
let user: User
const events = 20_000
/** The published poison records by topic/partition/offset. */
const poisoned = new Map<string, Poison>()

beforeAll(async () => {
  herald = await startTestHerald('crash')
  user = await herald.newUser({ scope: 'change-entries:read' })
})
afterAll(() => herald?.stop())

/** Publishes every poison record to the mention topic, and those that are not events to the change topic too. */
async function publishPoison() {
  const { mention, change } = herald.topics
  for (const { name, code, message } of poisonFor(user.subscriberId)) {
    for (const topic of code === 'not_json' || code === 'not_cloudevent' ? [mention, change] : [mention]) {
      const stamped = { ...message, timestamp: String(Date.now() - 5_000 - poisoned.size) }
      const [metadata] = await herald.publish(topic, [stamped])
      poisoned.set(`${topic}/${metadata?.partition}/${metadata?.baseOffset}`, { name, code, message: stamped })
    }
  }
}

test('stores each of 20,000 events exactly once when ingest is killed and restarted', async () => {
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
  await eventually(everything, { within: 120_000, every: 200, description: 'all events are stored' })
  expect(await idsStored(herald.database)).toEqual(load.stored)
  expect(await idsListed(user)).toEqual(load.stored)
}, 180_000)

const bytes = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(bytes) : typeof value === 'string' ? Buffer.from(value) : (value ?? null)
const headerBytes = (headers: IHeaders = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, bytes(value)]))

test('dead-letters every poison record unchanged, with its error code and origin', async () => {
  const letters = await readDeadLetters(herald.brokers, herald.topics.deadLetter, poisoned.size)
  expect([...new Set(letters.map(originOf))].sort()).toEqual([...poisoned.keys()].sort())
  for (const letter of letters) {
    const origin = originOf(letter)
    const [topic, partition, offset] = origin.split('/')
    const { name, code, message } = poisoned.get(origin) as Poison
    const added = {
      'herald-error-code': code,
      'herald-error-detail': letter.headers?.['herald-error-detail'],
      'herald-origin-topic': topic,
      'herald-origin-partition': partition,
      'herald-origin-offset': offset,
      'herald-origin-timestamp': message.timestamp,
    }
    expect({ name, key: letter.key, value: letter.value, headers: headerBytes(letter.headers) }).toStrictEqual({
      name,
      key: bytes(message.key),
      value: bytes(message.value),
      headers: headerBytes({ ...message.headers, ...added }),
    })
    const detail = String(letter.headers?.['herald-error-detail'])
    expect(detail).toMatch(/./)
    expect(Buffer.byteLength(detail)).toBeLessThanOrEqual(1_024)
  }
})
