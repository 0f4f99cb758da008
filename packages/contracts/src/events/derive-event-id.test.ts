import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { deriveEventId } from './derive-event-id.ts'

// Golden vectors, computed by an independent program from the contract's text. They never change, and are published for
// implementations in other languages.
type Vector = Readonly<Record<'subscriberId' | 'source' | 'id' | 'derivedId', string>> & { readonly time: number }
const vectors: readonly Vector[] = JSON.parse(readFileSync(new URL('../../derived-ids.json', import.meta.url), 'utf8'))

test('the vectors are unchanged', () => {
  const digest = createHash('sha256').update(JSON.stringify(vectors)).digest('hex')
  expect([vectors.length, digest]).toEqual([6, '9dafadf9489ebf42ecb615fddf9977f5b4f09d3ea64fd3be2855b8827442430a'])
})

test.each(vectors)('derives the frozen id of $subscriberId $source $id', ({ derivedId, ...event }) => {
  expect(deriveEventId(event)).toBe(derivedId)
})

test('ignores the case of the subscriber id', () => {
  const event = { source: '/a', id: '1', time: 1 }
  expect(deriveEventId({ ...event, subscriberId: 'ABCDEF00-0000-4000-8000-000000000000' })).toBe(
    deriveEventId({ ...event, subscriberId: 'abcdef00-0000-4000-8000-000000000000' }),
  )
})

test('derives the ids in the README', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const table = readme.split('<!-- vectors -->')[1]?.split('<!-- end of vectors -->')[0] ?? ''
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) {
    const [subscriberId = '', source = '', id = '', time = '', expected] = [...row.matchAll(/`([^`]*)`/g)].map(
      ([, cell]) => cell,
    )
    expect(deriveEventId({ subscriberId, source, id, time: Number(time) })).toBe(expected)
  }
})
