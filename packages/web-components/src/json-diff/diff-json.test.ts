import type { JsonValue } from '@herald/client'
import { describe, expect, test } from '@jest/globals'
import { type Difference, diffJson, diffStates } from './diff-json.ts'

/** Reconstructs one side from a difference. */
function side(difference: Difference, which: 'before' | 'after'): JsonValue | undefined {
  const gone = which === 'before' ? 'added' : 'removed'
  switch (difference.kind) {
    case 'same':
      return difference.value
    case 'added':
    case 'removed':
      return difference.kind === gone ? undefined : difference.value
    case 'replaced':
      return difference[which]
    case 'text':
      return difference.parts.map(({ kind, text }) => (kind === gone ? '' : text)).join('')
    case 'object':
    case 'array': {
      if (difference.whole === gone) return undefined
      const members = difference.members
        .map(({ name, difference }) => [name, side(difference, which)] as const)
        .filter((member): member is readonly [string, JsonValue] => member[1] !== undefined)
      return difference.kind === 'array' ? members.map(([, value]) => value) : Object.fromEntries(members)
    }
  }
}

const pairs: readonly (readonly [string, JsonValue, JsonValue])[] = [
  ['numbers', 1, 2],
  ['types', '1', 1],
  ['an array for an object', [1], { 0: 1 }],
  ['an empty object for null', { a: null }, { a: {} }],
  ['fields of an empty object', [{}, 1], [{ a: 1 }, 1]],
  ['fields', { a: 1, b: 2, c: 3 }, { b: 2, c: 4, d: 5 }],
  ['nested fields', { a: { b: { c: [1, { d: 2 }] } } }, { a: { b: { c: [1, { d: 3 }] } } }],
  ['keys of Object.prototype', { constructor: 1, toString: 2 }, { toString: 3, hasOwnProperty: 4 }],
  ['items put in front', [2, 3], [1, 2, 3]],
  ['items taken from the middle', ['a', 'b', 'c', 'd'], ['a', 'd']],
  ['more items removed than added', [1, 2, 3, 4, 5], [9, 5]],
  ['objects in arrays', [{ id: 1, n: 'x' }, { id: 2 }], [{ id: 1, n: 'y' }, { id: 2 }, { id: 3 }]],
  ['a long text', `${'one two three four five '.repeat(3)}end`, `${'one two three four six '.repeat(3)}end`],
  ['Unicode', 'naïve 🙌 Øresund, and the whole of it', 'naïve 👍 Øresund, and the half of it'],
]

describe('both sides can be reconstructed from a difference', () => {
  test.each(pairs)('%s', (_name, before, after) => {
    const difference = diffJson(before, after)
    expect(side(difference, 'before')).toEqual(before)
    expect(side(difference, 'after')).toEqual(after)
  })
})

test('objects with the same fields in another order are the same', () => {
  expect(diffJson({ a: 1, b: [2] }, { b: [2], a: 1 }).kind).toBe('same')
})

test('reports changed and unchanged fields of an object', () => {
  expect(diffJson({ amount: 41.5, currency: 'EUR' }, { amount: 43.25, currency: 'EUR' })).toEqual({
    kind: 'object',
    members: [
      { name: 'amount', difference: { kind: 'replaced', before: 41.5, after: 43.25 } },
      { name: 'currency', difference: { kind: 'same', value: 'EUR' } },
    ],
  })
})

test('reports a changed item as changed, not as removed and added', () => {
  const before = [
    { name: 'Leverage', limit: 4.5 },
    { name: 'Cover', limit: 2 },
  ]
  const after = [
    { name: 'Leverage', limit: 4.25 },
    { name: 'Cover', limit: 2 },
  ]
  expect(diffJson(before, after)).toMatchObject({
    kind: 'array',
    members: [
      { name: '0', difference: { kind: 'object' } },
      { name: '1', difference: { kind: 'same' } },
    ],
  })
})

test('a null before or after makes the other state added or removed, with all members', () => {
  expect(diffStates(null, { owner: { name: 'Mei' } })).toMatchObject({
    kind: 'object',
    whole: 'added',
    members: [
      {
        name: 'owner',
        difference: { kind: 'object', members: [{ name: 'name', difference: { kind: 'added', value: 'Mei' } }] },
      },
    ],
  })
  expect(diffStates('note', null)).toEqual({ kind: 'removed', value: 'note' })
})

declare const process: { cpuUsage(since?: object): { readonly user: number } }

test('bounds the time for arrays and texts with nothing in common', () => {
  const numbers = (from: number) => Array.from({ length: 20_000 }, (_, index) => from + index)
  const words = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word}${index}`).join(' ')
  // The time of the processor counts, so that other work on this machine does not.
  const began = process.cpuUsage()
  diffJson(numbers(0), numbers(1_000_000))
  diffJson(words('a'), words('b'))
  expect(process.cpuUsage(began).user).toBeLessThan(5_000_000)
})

test('compares the texts of an entry only as long as its work lasts; the others are replaced', () => {
  const texts = (word: string) =>
    Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`text ${n}`, `${`${n} words of a text `.repeat(125)}${word}`]),
    )
  const difference = diffStates(texts('before'), texts('after'))
  const kinds = difference.kind === 'object' ? difference.members.map(({ difference }) => difference.kind) : []
  expect(kinds[0]).toBe('text')
  expect(kinds.lastIndexOf('text')).toBeLessThan(50)
  expect(kinds.at(-1)).toBe('replaced')
})

test('compares large items of lists once each', () => {
  const items = (last: string) =>
    Array.from({ length: 300 }, (_, n) => ({ text: 'x'.repeat(1_500), list: Array(20).fill(n), last }))
  expect(diffStates(items('a'), items('b')).kind).toBe('array')
})
