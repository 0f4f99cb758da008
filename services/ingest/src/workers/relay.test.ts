import { createDeadlines } from '@herald/runtime'
import { StorageUnavailableError } from '@herald/store'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { createRelay, type RelayDependencies } from './relay.ts'

type Outcome = { finished: number; refused: string[]; again?: number } | 'away'

function start(outcomes: Outcome[], { isOpen = [true], held = [true] } = {}) {
  const calls: string[] = []
  const log: string[] = []
  const next = <T>(values: T[]) => (values.length > 1 ? values.shift() : values[0]) as T
  const dependencies: RelayDependencies = {
    unfinished: {
      async finish(_now, hold) {
        calls.push('finish')
        if (hold === undefined) throw new Error('The lease cannot be renewed')
        const outcome = outcomes.shift() ?? { finished: 0, refused: [] }
        if (outcome === 'away') throw new StorageUnavailableError('away')
        return { again: 0, ...outcome }
      },
    },
    leases: {
      async hold(name) {
        calls.push(`hold ${name}`)
        return next(held)
      },
      release: async (name) => void calls.push(`release ${name}`),
    },
    gate: { isOpen: async () => next(isOpen) },
    holder: 'me',
    now: () => new Date(),
    deadlines: createDeadlines(() => new Date()),
    logger: {
      info: (fields: object) => log.push(JSON.stringify(fields)),
      warn: () => log.push('warn'),
      error: (fields: object) => log.push(JSON.stringify(fields)),
    } as unknown as RelayDependencies['logger'],
    everyMs: 5,
  }
  const relay = createRelay(dependencies)
  relay.start()
  return { relay, calls, log }
}

const finishes = (calls: readonly string[]) => calls.filter((call) => call === 'finish').length

test('works until nothing is left, under a lease that it releases when it stops', async () => {
  const { relay, calls, log } = start([
    { finished: 20, refused: [] },
    { finished: 0, refused: [], again: 20 },
    { finished: 3, refused: ['poison'] },
    { finished: 0, refused: [] },
  ])
  await eventually(() => finishes(calls) >= 4)
  await relay.stop()
  expect(calls.slice(0, 8)).toEqual(Array.from({ length: 4 }, () => ['hold relay', 'finish']).flat())
  expect(calls.at(-1)).toBe('release relay')
  expect(log).toEqual(['{"finished":20}', '{"reason":"poison"}', '{"finished":3}'])
  const { length } = calls
  const later = start([])
  await eventually(() => finishes(later.calls) >= 3)
  await later.relay.stop()
  expect(calls).toHaveLength(length)
})

test('waits for the collections and for the lease', async () => {
  const { relay, calls } = start([], { isOpen: [false, false, true], held: [false, false, true] })
  await eventually(() => finishes(calls) >= 1)
  await relay.stop()
  expect(calls.slice(0, 4)).toEqual(['hold relay', 'hold relay', 'hold relay', 'finish'])
})

test('continues after a failure', async () => {
  const { relay, calls, log } = start(['away', { finished: 1, refused: [] }])
  await eventually(() => finishes(calls) >= 3)
  await relay.stop()
  expect(log).toEqual(['warn', '{"finished":1}'])
})
