import { expect, test } from '@jest/globals'
import { alternate } from './alternate.ts'

async function ordersOf(names: readonly string[], options = { warmUp: false }) {
  const turns: string[] = []
  const contestants = Object.fromEntries(names.map((name) => [name, async () => turns.push(name)]))
  const measured = await alternate({ rounds: 6, smoke: false, log: () => {} }, contestants, String, options)
  const orders = Array.from({ length: turns.length / names.length }, (_, round) =>
    turns.slice(round * names.length, (round + 1) * names.length).join(''),
  )
  return { orders, measured }
}

test('two contestants swap in each round', async () => {
  expect((await ordersOf(['a', 'b'])).orders).toEqual(['ba', 'ab', 'ba', 'ab', 'ba', 'ab'])
})

test('each of three is the first, and the last, in two of six rounds', async () => {
  expect((await ordersOf(['a', 'b', 'c'])).orders).toEqual(['bac', 'cab', 'cba', 'bca', 'acb', 'abc'])
})

test('a round to warm up is not returned', async () => {
  const { orders, measured } = await ordersOf(['a', 'b'], { warmUp: true })
  expect(orders).toHaveLength(7)
  expect(measured.a).toHaveLength(6)
})
