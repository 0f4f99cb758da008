import { describe, expect, test } from '@jest/globals'
import { changeEntry, documentBytes, served } from '../documents/change-entry.fixture.ts'
import { type ExportFormat, encodeExport } from './export.ts'

const entry = (entityId: string, afterState = 'null') => changeEntry({ entityId, afterState })

async function* stepsOf(...steps: (readonly ReturnType<typeof entry>[])[]) {
  for (const entries of steps) yield entries.map(documentBytes)
}

async function piecesOf(format: ExportFormat, steps: ReturnType<typeof stepsOf>): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of encodeExport(format, steps)) pieces.push(piece.toString())
  return pieces
}

describe.each([
  ['json', '{"data":[]}'],
  ['ndjson', ''],
  ['csv', expect.stringMatching(/^id,[^\r\n]*\r\n$/)],
] as const)('%s', (format, empty) => {
  test('of an empty log', async () => {
    expect((await piecesOf(format, stepsOf())).join('')).toEqual(empty)
  })

  test('is the same in one step and in several', async () => {
    const entries = ['a', 'b', 'c'].map((id) => entry(id))
    const whole = (await piecesOf(format, stepsOf(entries))).join('')
    const steps = stepsOf(...entries.map((one) => [one]))
    expect((await piecesOf(format, steps)).join('')).toBe(whole)
  })
})

test('json is one document, ndjson a line per entry, csv a header and a line per entry', async () => {
  const entries = [[entry('a'), entry('b')], [entry('c')]]
  const textOf = async (format: ExportFormat) => (await piecesOf(format, stepsOf(...entries))).join('')
  expect(await textOf('json')).toBe(JSON.stringify({ data: entries.flat().map(served) }))
  expect(await textOf('ndjson')).toBe(
    entries
      .flat()
      .map((one) => `${JSON.stringify(served(one))}\n`)
      .join(''),
  )
  expect((await textOf('csv')).split('\r\n').map((line) => line.split(',')[5])).toEqual([
    ...['entityId', 'a', 'b', 'c'],
    undefined,
  ])
})

test('encodes at most 256 KiB of entries at once', async () => {
  const large = JSON.stringify('x'.repeat(100_000))
  const pieces = await piecesOf('json', stepsOf(Array.from({ length: 10 }, (_, n) => entry(`${n}`, large))))
  expect(pieces.map((piece) => Math.round(piece.length / 100_000))).toEqual([2, 2, 2, 2, 2, 0])
})

test('throws without the end of the document when a step fails', async () => {
  const pieces = encodeExport(
    'json',
    (async function* () {
      yield [documentBytes(entry('a'))]
      throw new Error('away')
    })(),
  )
  const { value } = await pieces.next()
  expect(String(value)).toBe(`{"data":[${JSON.stringify(served(entry('a')))}`)
  await expect(pieces.next()).rejects.toThrow('away')
  expect(await pieces.next()).toEqual({ done: true, value: undefined })
})

test('ends the reading when it is abandoned', async () => {
  let isEnded = false
  const pieces = encodeExport(
    'ndjson',
    (async function* () {
      try {
        for (;;) yield [documentBytes(entry('a'))]
      } finally {
        isEnded = true
      }
    })(),
  )
  await pieces.next()
  await pieces.return()
  expect(isEnded).toBe(true)
})
