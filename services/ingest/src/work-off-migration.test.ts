import { expect, test } from '@jest/globals'
import { workOffMigration } from './work-off-migration.ts'

type Step = { phase: 'reading' | 'writing' | 'done'; count: number }

function run(steps: (Step | 'away')[], held: boolean[] = [true]) {
  const log: string[] = []
  const calls: string[] = []
  const migration = {
    ...{ lease: 'migrate-test', messages: { reading: 'Reading', writing: 'Writing', done: 'All is done' } },
    async step() {
      const step = steps.shift()
      if (step === undefined || step === 'away') throw new Error('away')
      return step
    },
  }
  const done = workOffMigration(migration, {
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
    '{"phase":"reading","count":5000} Reading',
    '{"phase":"writing","count":70} Writing',
    '{"count":71} All is done',
  ])
  expect([calls.length, calls.at(-1)]).toEqual([5, 'release migrate-test'])
})

test('releases the lease after a failure, so that it can be run again at once', async () => {
  const { done, calls } = run(['away'])
  await expect(done).rejects.toThrow('away')
  expect(calls.at(-1)).toBe('release migrate-test')
})
