import { RecordTooLarge } from '@herald/kafka'
import { createDeadlines } from '@herald/runtime'
import type { Announcement } from '@herald/store'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { createAnnouncementRelay } from './announcement-relay.ts'

const announcementOf = (name: string) => ({ kind: 'unread', data: name }) as Announcement
const namesOf = (items: readonly { announcements: readonly Announcement[] }[]) =>
  items.flatMap(({ announcements }) => announcements.map((one) => (one.kind === 'unread' ? one.data : ''))).join()

/** Runs a relay over batches of named items until it has called `last`. */
async function run(batches: string[][], publish: (names: string) => void, last: string, due = 0) {
  const calls: string[] = []
  let digestsDue = due
  const relay = createAnnouncementRelay({
    announcements: {
      isDue: async () => batches.length > 0,
      async next() {
        const names = batches[0]
        if (!names) return []
        return [
          {
            items: names.map((name) => ({ announcements: [announcementOf(name)] })),
            async settle(items) {
              calls.push(`settle ${namesOf(items)}`)
              if (batches[0] === names) batches.shift()
            },
            async postpone(items) {
              calls.push(`postpone ${namesOf(items)}`)
              if (batches[0] === names && names.length === 1) batches.shift()
            },
          },
        ]
      },
    },
    digests: {
      isDue: async () => digestsDue > 0,
      async writeNext(_now, _unreadAfterMs, hold) {
        if (digestsDue === 0 || !(await hold?.())) return 0
        calls.push('write digests')
        return digestsDue--
      },
    },
    publisher: {
      async publish(items) {
        const names = namesOf(items)
        publish(names)
        calls.push(`publish ${names}`)
      },
    },
    leases: { hold: async () => true, release: async () => void calls.push('release') },
    gate: { isOpen: async () => true },
    holder: 'me',
    now: () => new Date(),
    deadlines: createDeadlines(() => new Date()),
    everyMs: 5,
    unreadAfterMs: 60_000,
    logger: { warn: () => calls.push('warn'), error: () => calls.push('error') } as never,
  })
  relay.start()
  await eventually(() => calls.includes(last))
  await relay.stop()
  return calls
}

test('publishes, then settles, and releases its lease when it stops', async () => {
  const calls = await run([['a', 'b'], ['c']], () => {}, 'settle c')
  expect(calls).toEqual(['publish a,b', 'settle a,b', 'publish c', 'settle c', 'release'])
})

test('writes all digests first, whether the topic is available or not', async () => {
  let fails = true
  const unavailable = () => {
    if (fails) {
      fails = false
      throw new Error('unavailable')
    }
  }
  const calls = await run([['a']], unavailable, 'settle a', 2)
  expect(calls.slice(0, 3)).toEqual(['write digests', 'write digests', 'warn'])
  expect(calls.slice(3)).toEqual(['publish a', 'settle a', 'release'])
})

test('postpones only the item that the topic rejects for its size', async () => {
  const tooLarge = (names: string) => {
    if (names.includes('b')) throw new RecordTooLarge('too large')
  }
  const calls = await run([['a', 'b', 'c']], tooLarge, 'settle c')
  expect(calls).toEqual(expect.arrayContaining(['settle a', 'error', 'postpone b', 'settle c']))
})
