import type { FanOutProgress } from '@herald/store'
import { expect, test } from '@jest/globals'
import { writeFanOuts } from './write-fan-outs.ts'

function run(steps: (FanOutProgress | 'away')[], held: boolean[] = [true]) {
  const log: string[] = []
  const calls: string[] = []
  const done = writeFanOuts({
    missingFanOuts: {
      async step() {
        const step = steps.shift()
        if (step === undefined || step === 'away') throw new Error('away')
        return step
      },
    },
    leases: {
      async hold(name) {
        calls.push(`hold ${name}`)
        return (held.length > 1 ? held.shift() : held[0]) as boolean
      },
      release: async (name) => void calls.push(`release ${name}`),
    },
    logger: { info: (fields: object, message: string) => log.push(`${JSON.stringify(fields)} ${message}`) } as never,
    clock: () => new Date(),
    logEveryMs: 0,
    waitMs: 1,
  })
  return { done, log, calls }
}

test('takes step after step under a lease, and logs its progress', async () => {
  const { done, log, calls } = run(
    [
      { phase: 'reading', count: 5_000 },
      { phase: 'writing', count: 70 },
      { phase: 'done', count: 71 },
    ],
    [false, true],
  )
  await done
  expect(log).toEqual([
    '{} Waiting for another run',
    '{"phase":"reading","count":5000} Reading notifications',
    '{"phase":"writing","count":70} Writing fan-outs',
    '{"written":71} All notifications have fan-outs',
  ])
  expect([calls.length, calls.at(-1)]).toEqual([5, 'release migrate-fan-outs'])
})

test('releases the lease after a failure, so that it can be run again at once', async () => {
  const { done, calls } = run(['away'])
  await expect(done).rejects.toThrow('away')
  expect(calls.at(-1)).toBe('release migrate-fan-outs')
})
