import type { ErasureProgress, OpenErasure } from '@herald/persons'
import { createDeadlines } from '@herald/runtime'
import { StorageUnavailableError } from '@herald/store'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { createErasureWorker, type ErasureWorkerDependencies } from './erasure-worker.ts'

const one: OpenErasure = { subscriberId: 's', eventId: 'one' }
const two: OpenErasure = { subscriberId: 's', eventId: 'two' }

type Given = {
  steps: Record<string, (number | 'away')[]>
  isOpen?: boolean[]
  held?: boolean[]
  /** Erasures that are to be repeated. */
  doneBefore?: string[]
}

function start({ steps, isOpen = [true], held = [true], doneBefore = [] }: Given) {
  const calls: string[] = []
  const log: string[] = []
  const counted: number[] = []
  const next = <T>(values: T[]) => (values.length > 1 ? values.shift() : values[0]) as T
  const openNow = () => [one, two].filter(({ eventId }) => (steps[eventId] ?? []).length > 0)
  const dependencies: ErasureWorkerDependencies = {
    erasures: {
      async open() {
        calls.push(`open ${openNow().length}`)
        return openNow()
      },
      async step({ subscriberId, eventId }): Promise<ErasureProgress | undefined> {
        calls.push(`step ${eventId}`)
        const erasedNow = steps[eventId]?.shift()
        if (erasedNow === 'away') throw new StorageUnavailableError('away')
        if (erasedNow === undefined) return undefined
        const done = steps[eventId]?.length === 0
        return { subscriberId, eventId, phase: 'feed', erasedNow, erased: erasedNow, done }
      },
      lookAgain: async (_, hold) =>
        doneBefore.length > 0 && (await hold()) && calls.push(`again ${doneBefore.shift()}`) > 0,
    },
    leases: {
      async hold(name) {
        calls.push(`hold ${name}`)
        return next(held)
      },
      release: async (name) => void calls.push(`release ${name}`),
    },
    gate: { isOpen: async () => next(isOpen) },
    metrics: {
      observeStep: ({ erasedNow }) => counted.push(erasedNow),
    },
    holder: 'me',
    now: () => new Date(),
    deadlines: createDeadlines(() => new Date()),
    logger: {
      info: (fields: object, message: string) => log.push(`${JSON.stringify(fields)} ${message}`),
      warn: (_: object, message: string) => log.push(message),
    } as unknown as ErasureWorkerDependencies['logger'],
    everyMs: 5,
    logEveryMs: 0,
  }
  const worker = createErasureWorker(dependencies)
  worker.start()
  return { worker, calls, log, counted }
}

test('carries out each erasure step by step, under a lease that is extended before every step', async () => {
  const { worker, calls, log, counted } = start({ steps: { one: [3, 4], two: [5] } })
  await eventually(() => counted.length === 3)
  await worker.stop()
  expect(calls.slice(0, 9)).toEqual([
    ...['open 2', 'hold erasures', 'hold erasures', 'step one', 'hold erasures', 'step one'],
    ...['hold erasures', 'hold erasures', 'step two'],
  ])
  expect(calls.at(-1)).toBe('release erasures')
  expect(log[0]).toBe('{"subscriberId":"s","eventId":"one","phase":"feed","erased":3} Erasing a person')
  expect(log.slice(1)).toEqual([
    expect.stringMatching(/"one".* Person erased$/),
    expect.stringMatching(/Person erased$/),
  ])
})

test('erases once more what was done before, under the lease', async () => {
  const { worker, calls } = start({ steps: {}, doneBefore: ['one', 'two'] })
  await eventually(() => calls.includes('again two'))
  await worker.stop()
  expect(calls.slice(0, 5)).toEqual(['open 0', 'hold erasures', 'again one', 'hold erasures', 'again two'])
})

test('one that fails is retried, and does not hold back the others', async () => {
  const { worker, log, counted } = start({ steps: { one: ['away', 7], two: [1] } })
  await eventually(() => counted.length === 2)
  await worker.stop()
  expect(counted).toEqual([1, 7])
  expect(log[0]).toBe('Could not erase a person, retrying')
})

test('waits for the collections and the lease, and takes no lease while nothing is open', async () => {
  const { worker, calls, counted } = start({ steps: { one: [1] }, isOpen: [false, true], held: [false, true] })
  await eventually(() => counted.length === 1)
  await eventually(() => calls.at(-1) === 'open 0')
  await worker.stop()
  expect(calls.filter((call) => call === 'step one')).toHaveLength(1)
  expect(calls.slice(0, 3)).toEqual(['open 1', 'hold erasures', 'open 1'])
})
