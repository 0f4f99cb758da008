import { expect, test } from '@jest/globals'
import type { FoundDeadLetter } from './found-dead-letter.ts'
import { createReplay } from './replay.ts'

const letter = (offset: number, changes: Partial<FoundDeadLetter> = {}): FoundDeadLetter => ({
  time: new Date(0),
  code: 'invalid_data',
  detail: '',
  topic: 'mention-events',
  partition: offset % 2,
  offset: String(offset),
  original: { key: Buffer.from('k'), value: Buffer.from(`value ${offset}`), headers: { h: 'x' } },
  omitted: [],
  ...changes,
})

async function replay(letters: readonly FoundDeadLetter[], topics: readonly string[] = ['mention-events']) {
  const sent: string[] = []
  const { add, finish } = createReplay({
    topics,
    async send(topic, partition, records) {
      for (const { value } of records) sent.push(`${topic}/${partition} ${value}`)
    },
    onProgress: () => {},
  })
  for (const one of letters) await add(one)
  const { elsewhere, ...counts } = await finish()
  return { counts, sent, elsewhere: Object.fromEntries(elsewhere) }
}

test('sends every record to its original partition in order', async () => {
  const { counts, sent } = await replay(Array.from({ length: 250 }, (_, n) => letter(n)))
  expect(counts).toEqual({ sent: 250, repeated: 0, omitted: 0 })
  const even = sent.filter((line) => line.startsWith('mention-events/0'))
  expect(even).toEqual(Array.from({ length: 125 }, (_, n) => `mention-events/0 value ${2 * n}`))
})

test('sends a record that was dead-lettered twice only once', async () => {
  const first = letter(1)
  const { counts, sent } = await replay([first, letter(9, { original: first.original })])
  expect(counts).toEqual({ sent: 1, repeated: 1, omitted: 0 })
  expect(sent).toHaveLength(1)
})

test('treats records that differ only in a header as different', async () => {
  const first = letter(1)
  const { counts } = await replay([first, letter(3, { original: { ...first.original, headers: { h: 'y' } } })])
  expect(counts.sent).toBe(2)
})

test('skips a record with an omitted part', async () => {
  const { counts, sent } = await replay([letter(1, { omitted: ['headers'] })])
  expect(counts).toEqual({ sent: 0, repeated: 0, omitted: 1 })
  expect(sent).toEqual([])
})

test('sends nothing to topics that ingest does not read', async () => {
  const letters = ['mention-events', 'payments', 'payments', ''].map((topic, n) => letter(n, { topic }))
  const { counts, sent, elsewhere } = await replay(letters)
  expect(counts.sent).toBe(1)
  expect(sent).toEqual(['mention-events/0 value 0'])
  expect(elsewhere).toEqual({ payments: 2, '': 1 })
})
