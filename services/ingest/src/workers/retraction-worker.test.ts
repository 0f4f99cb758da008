import { createDeadlines } from '@herald/runtime'
import { StorageUnavailableError } from '@herald/store'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { createRetractionWorker } from './retraction-worker.ts'

/** How many steps are left of each subscriber; `away` for one that always fails. */
async function work(left: Record<string, number | 'away'>) {
  const steps: string[] = []
  let rounds = 0
  const worker = createRetractionWorker({
    retractions: {
      async nextLeft(behind = '') {
        if (behind === '') rounds++
        return Object.keys(left).find((id) => id > behind && left[id] !== 0)
      },
      async goOn(subscriberId) {
        steps.push(subscriberId)
        const before = left[subscriberId]
        if (typeof before !== 'number') throw new StorageUnavailableError('away')
        left[subscriberId] = before - 1
        return { done: 0, refused: [] }
      },
    },
    leases: { hold: async () => true, release: async () => {} },
    gate: { isOpen: async () => true },
    holder: 'me',
    now: () => new Date(),
    deadlines: createDeadlines(() => new Date()),
    logger: { info() {}, warn() {}, error() {} },
    everyMs: 3_600_000,
  })
  worker.start()
  await eventually(() => Object.values(left).every((steps) => steps === 0 || steps === 'away') && rounds > 1)
  await worker.stop()
  return steps.join('')
}

test('does a step of each subscriber in turn', async () => {
  expect(await work({ a: 3, b: 1, c: 2 })).toBe('abcaca')
})

test('one that fails does not hold back the others', async () => {
  expect(await work({ a: 'away', b: 2 })).toMatch(/^abab/)
})
