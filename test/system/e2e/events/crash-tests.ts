import { isFullRun } from '@herald/jest-preset/full-run'
import { eventually } from '@herald/test-servers'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { IHeaders } from 'kafkajs'
import { originOf, readDeadLetters } from '../support/dead-letters.ts'
import { idsListed, loadFor, publishLoad } from '../support/load.ts'
import type { OwnHerald } from '../support/own-herald.ts'
import { type Poison, poisonFor } from '../support/poison-records.ts'
import { countStored, idsStored } from '../support/stored.ts'
import type { User } from '../support/user.ts'

const bytes = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(bytes) : typeof value === 'string' ? Buffer.from(value) : (value ?? null)
const headerBytes = (headers: IHeaders = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, bytes(value)]))

export function describeCrash(herald: () => OwnHerald): void {
  describe('a killed ingest', () => {
    let user: User
    const events = isFullRun ? 20_000 : 4_000
    const whenStored = events / 20
    /** The published poison records by topic/partition/offset. */
    const poisoned = new Map<string, Poison>()
    beforeAll(async () => {
      user = await herald().newUser({ scope: 'change-entries:read' })
    })

    /** Publishes every poison record to the mention topic, and those that are not events to the change topic too. */
    async function publishPoison() {
      const { mention, change } = herald().topics
      for (const { name, code, message } of poisonFor(user.subscriberId)) {
        for (const topic of code === 'not_json' || code === 'not_cloudevent' ? [mention, change] : [mention]) {
          const stamped = { ...message, timestamp: String(Date.now() - 5_000 - poisoned.size) }
          const [metadata] = await herald().publish(topic, [stamped])
          poisoned.set(`${topic}/${metadata?.partition}/${metadata?.baseOffset}`, { name, code, message: stamped })
        }
      }
    }

    test(`stores each of ${events} events exactly once when ingest is killed and restarted`, async () => {
      const load = loadFor(user, events)
      const publishing = Promise.all([publishLoad(herald(), load.now), publishPoison()])
      const stored = () => countStored(herald().database, user.subscriberId)
      await eventually(async () => (await stored()) > whenStored, { every: 5 })
      herald().ingest.kill('SIGKILL')
      await herald().ingest.exited
      const [published] = await publishing
      const { notifications, changeEntries } = await idsStored(herald().database, user.subscriberId)
      const storedBefore = new Set([...notifications, ...changeEntries])
      expect(storedBefore.size).toBeGreaterThan(whenStored)
      expect(storedBefore.size).toBeLessThan(events)
      const { isCommitted } = await herald().progress()
      const lost = published.filter((event) => isCommitted(event) && !storedBefore.has(event.id))
      expect(lost.slice(0, 3)).toEqual([])

      await publishLoad(herald(), load.later)
      await herald().ingest.restart()
      const everything = async () => (await stored()) >= events
      await eventually(everything, { within: 120_000, every: 200, description: 'all events are stored' })
      expect(await idsStored(herald().database, user.subscriberId)).toEqual(load.stored)
      expect(await idsListed(user)).toEqual(load.stored)
    }, 180_000)

    test('dead-letters every poison record unchanged, with its error code and origin', async () => {
      const letters = await readDeadLetters(herald().brokers, herald().topics.deadLetter, [...poisoned.keys()])
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
  })
}
