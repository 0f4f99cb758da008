import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { createDeadlines } from '../health/deadlines.ts'
import { createLeasedWorker } from './leased-worker.ts'

/** Waits for a condition; the limit of the test is the limit. */
async function eventually(probe: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await probe())) await sleep(5)
}

test('gives up a step that does not end, says so, and begins anew', async () => {
  const deadlines = createDeadlines(() => new Date())
  const stuck = Promise.withResolvers<void>()
  const failures: unknown[] = []
  const lateHolds: boolean[] = []
  let runs = 0
  const worker = createLeasedWorker(
    {
      leases: { hold: async () => true, release: async () => {} },
      gate: { isOpen: async () => true },
      holder: 'me',
      now: () => new Date(),
      deadlines,
      stepLimitMs: 200,
    },
    {
      lease: 'erasures',
      leaseMs: 1_000,
      async work(hold) {
        await hold()
        if (runs++ > 0) return
        await stuck.promise
        lateHolds.push(await hold())
      },
      onFailure: (error) => failures.push(error),
      pauseMs: () => 10,
    },
  )
  const health = async () => deadlines.health.check(new AbortController().signal)
  worker.start()
  await eventually(() => runs > 1)
  expect(failures).toMatchObject([{ message: 'A step of the worker erasures has not ended within 0.2 s' }])
  expect(await health()).toMatchObject({ ok: false, detail: expect.stringContaining('worker erasures has not ended') })
  stuck.resolve()
  await eventually(async () => (await health()).ok)
  expect(lateHolds).toEqual([false])
  await worker.stop()
})
