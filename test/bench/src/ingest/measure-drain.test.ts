import process from 'node:process'
import { expect, test } from '@jest/globals'
import { isWarm, watchDrain } from './measure-drain.ts'

const documents = 1_600

/** Counts documents that are stored at `slow` per second up to `slowUntil`, and then at `fast`. */
function countsOf({ slow, fast, slowUntil }: { slow: number; fast: number; slowUntil: number }) {
  const begun = performance.now()
  return async () => {
    const elapsed = (performance.now() - begun) / 1_000
    const slowSeconds = slowUntil / slow
    const stored = elapsed < slowSeconds ? elapsed * slow : slowUntil + (elapsed - slowSeconds) * fast
    return Math.min(documents, Math.floor(stored))
  }
}

test('the clock starts once the rate is steady, and not before six sixteenths', async () => {
  const drain = await watchDrain(countsOf({ slow: 1_000, fast: 2_000, slowUntil: 550 }), documents, {
    service: process.pid,
  })
  expect(isWarm(drain)).toBe(true)
  expect(drain.perSecond).toBeGreaterThan(1_900)
  expect(drain.perSecond).toBeLessThan(2_100)
})

test('fails when documents are missing at the end', async () => {
  const counts = async () => documents - 1
  const drain = watchDrain(counts, documents, { service: process.pid }, { limitMs: 100 })
  await expect(drain).rejects.toThrow(`${documents - 1} of ${documents} documents`)
})
