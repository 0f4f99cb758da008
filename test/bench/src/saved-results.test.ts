import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { resultOf } from './figure.ts'
import { partResults, readResults, withPart } from './saved-results.ts'
import { tableText } from './table-in-readme.ts'

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const part = (commit: string) => partResults([resultOf({ what: 'rate', unit: '/s', measured: [1] })], 1, commit)

test('all rows of the table are of one commit', () => {
  const saved = withPart({ parts: { query: part('a') }, history: {} }, ['ingest', 'query'], 'ingest', part('b'))
  expect(Object.keys(saved.parts)).toEqual(['ingest'])
  expect(Object.keys(withPart(saved, ['ingest', 'query'], 'query', part('b')).parts)).toEqual(['ingest', 'query'])
})

test('the table in README.md is that of the saved results', async () => {
  const readme = await readFile(fileOf('../README.md'), 'utf8')
  expect(unaligned(readme)).toContain(unaligned(tableText(await readResults(fileOf('../results')))))
})

/** The formatter aligns the columns of tables. */
const unaligned = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
