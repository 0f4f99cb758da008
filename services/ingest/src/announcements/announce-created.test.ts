import { expect, test } from '@jest/globals'
import { createAnnounceCreated } from './announce-created.ts'

function start({ isPaused = false, fails = false, items = 2 }) {
  const calls: string[] = []
  const announce = createAnnounceCreated({
    announcements: {
      async createdOf() {
        const found = Array.from({ length: items }, () => ({ announcements: [] }))
        return { items: found, settle: async () => void calls.push('settle'), postpone: async () => {} }
      },
      deferCreated: async () => void calls.push('defer'),
    },
    publisher: {
      isPaused: () => isPaused,
      async publish() {
        calls.push('publish')
        if (fails) throw new Error('unavailable')
      },
    },
    clock: () => new Date(),
    logger: { warn: () => calls.push('warn') } as never,
  })
  return { calls, announce }
}

test.each([
  ['publishes, then settles', {}, ['publish', 'settle']],
  ['leaves them to the relay if the topic is unavailable', { fails: true }, ['publish', 'warn', 'defer']],
  ['does not try again shortly after a failure', { isPaused: true }, ['defer']],
  ['publishes nothing that is announced already', { items: 0 }, []],
])('%s', async (_, options, expected) => {
  const { calls, announce } = start(options)
  await announce([])
  expect(calls).toEqual(expected)
})
