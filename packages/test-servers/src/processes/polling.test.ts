import { expect, test } from '@jest/globals'
import { eventually } from './polling.ts'

test('returns the first value that is neither undefined nor false', async () => {
  const answers = [undefined, false, 0, 1]
  expect(await eventually(() => answers.shift(), { every: 1 })).toBe(0)
})

test('probes again after an error', async () => {
  let calls = 0
  const probe = async () => {
    calls++
    if (calls < 3) throw new Error('not yet')
    return calls
  }
  expect(await eventually(probe, { every: 1 })).toBe(3)
})

test('gives up after the deadline with the description and the last error', async () => {
  const cause = new Error('still down')
  const waiting = eventually(() => Promise.reject(cause), { description: 'a primary', within: 20, every: 5 })
  await expect(waiting).rejects.toMatchObject({ message: 'Timed out after 0.02 s: a primary', cause })
})
