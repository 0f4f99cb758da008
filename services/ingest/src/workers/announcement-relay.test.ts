import { setImmediate as immediate } from 'node:timers/promises'
import type { Announcement } from '@herald/feed'
import { RecordTooLarge } from '@herald/kafka'
import { createDeadlines } from '@herald/runtime'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { createAnnouncementRelay } from './announcement-relay.ts'

const announcementOf = (name: string) => ({ kind: 'unread', data: name }) as Announcement
const namesOf = (items: readonly { announcements: readonly Announcement[] }[]) =>
  items.flatMap(({ announcements }) => announcements.map((one) => (one.kind === 'unread' ? one.data : ''))).join()

type Fakes = {
  readonly publish?: (names: string) => void
  /** How many digests are due. */
  readonly due?: number
  readonly write?: () => void
  readonly unreadAfterMs?: number | undefined
}

/** Starts a relay over batches of named items. */
function start(batches: string[][], fakes: Fakes = {}) {
  const { publish = () => {}, due = 0, write = () => {}, unreadAfterMs } = { unreadAfterMs: 60_000, ...fakes }
  const calls: string[] = []
  const warnings: string[] = []
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
        await immediate()
        write()
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
    leases: { hold: async () => true, release: async (name) => void calls.push(`release ${name}`) },
    gate: { isOpen: async () => true },
    holder: 'me',
    now: () => new Date(),
    deadlines: createDeadlines(() => new Date()),
    everyMs: 5,
    unreadAfterMs,
    logger: { warn: (_: object, text: string) => warnings.push(text), error: () => calls.push('error') } as never,
  })
  relay.start()
  return { relay, calls, warnings }
}

/** Runs a relay until it has called `last`. */
async function run(batches: string[][], last: string, fakes?: Fakes) {
  const { relay, calls } = start(batches, fakes)
  await eventually(() => calls.includes(last))
  await relay.stop()
  return calls
}

test('publishes, then settles, and releases its leases when it stops', async () => {
  const calls = await run([['a', 'b'], ['c']], 'settle c')
  expect(calls.slice(0, 4)).toEqual(['publish a,b', 'settle a,b', 'publish c', 'settle c'])
  expect(calls.slice(4).sort()).toEqual(['release announcements', 'release digests'])
})

test('writes all digests while the topic is unavailable', async () => {
  const publish = () => {
    throw new Error('unavailable')
  }
  const { relay, calls, warnings } = start([['a']], { publish, due: 3 })
  await eventually(() => calls.length === 3 && warnings.length === 1)
  await relay.stop()
  expect(calls.slice(0, 3)).toEqual(['write digests', 'write digests', 'write digests'])
  expect(warnings).toEqual(['Could not announce what is due, retrying'])
})

test('publishes while digests cannot be written', async () => {
  const write = () => {
    throw new Error('operation exceeded time limit')
  }
  const { relay, calls, warnings } = start([['a'], ['b']], { due: 1, write })
  await eventually(() => calls.includes('settle b') && warnings.length === 1)
  await relay.stop()
  expect(calls).not.toContain('write digests')
  expect(warnings).toEqual(['Could not write digests of unread notifications, retrying'])
})

test('publishes while more digests are due than can be written', async () => {
  const calls = await run([['a'], ['b']], 'settle b', { due: Number.POSITIVE_INFINITY })
  expect(calls).toContain('write digests')
})

test('writes no digests without a time after which unread notifications are announced', async () => {
  const { relay, calls } = start([['a']], { due: 1, unreadAfterMs: undefined })
  await eventually(() => calls.includes('settle a'))
  await relay.stop()
  expect(calls).toEqual(['publish a', 'settle a', 'release announcements'])
})

test('postpones only the item that the topic rejects for its size', async () => {
  const publish = (names: string) => {
    if (names.includes('b')) throw new RecordTooLarge('too large')
  }
  const calls = await run([['a', 'b', 'c']], 'settle c', { publish })
  expect(calls).toEqual(expect.arrayContaining(['settle a', 'error', 'postpone b', 'settle c']))
})
