import { expect, test } from '@jest/globals'
import { createAnnounceCreated } from './announcement-publisher.ts'

function start({ isPaused = false, fails = false, items = 2 }) {
  const calls: string[] = []
  const announce = createAnnounceCreated({
    publisher: {
      isPaused: () => isPaused,
      async publish() {
        calls.push('publish')
        if (fails) throw new Error('unavailable')
      },
    },
    now: () => new Date(),
    logger: { warn: () => calls.push('warn') } as never,
  })
  const created = {
    items: Array.from({ length: items }, () => ({ announcements: [] })),
    settle: async () => void calls.push('settle'),
    postpone: async () => void calls.push('postpone'),
  }
  return { calls, announce: () => announce(created) }
}

test.each([
  ['publishes, then settles', {}, ['publish', 'settle']],
  ['leaves them to the relay if the topic is unavailable', { fails: true }, ['publish', 'warn', 'postpone']],
  ['does not try again shortly after a failure', { isPaused: true }, ['postpone']],
  ['publishes nothing that is announced already', { items: 0 }, []],
])('%s', async (_, options, expected) => {
  const { calls, announce } = start(options)
  await announce()
  expect(calls).toEqual(expected)
})
