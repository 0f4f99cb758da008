import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { resultOf } from '../figure.ts'
import { medianOfRuns } from './history.ts'
import { performanceText } from './performance-text.ts'
import { readmes } from './readmes.ts'
import { noResults, partResults, readResults, withPart } from './saved-results.ts'
import { type Setup, versionOf } from './setup.ts'

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const order = ['ingest', 'query']
const versions = { kafka: '4.1.0', mongodb: '6.0.5', node: 'v24.0.0' }
const setup: Setup = { commit: 'a', product: 'p', ...versions, options: {} }
const partOf = (what: string) =>
  partResults([resultOf({ what, unit: '/s', measured: [1], goal: { atLeast: 1 } })], 5, 'v')
const part = partOf('rate')
const other = partOf('other')

test('all rows of the table, and all runs of a median, are of one version of the product', () => {
  const first = withPart(noResults, setup, order, 'query', part)
  const second = withPart(first, { ...setup, product: 'c' }, order, 'ingest', part)
  expect(Object.keys(second.parts)).toEqual(['ingest'])
  expect(second.history.rate).toHaveLength(1)
  const both = withPart(second, { ...setup, product: 'c' }, order, 'query', part)
  expect(Object.keys(both.parts)).toEqual(['ingest', 'query'])
  expect(both.history.rate).toHaveLength(2)
})

test.each(['kafka', 'mongodb', 'node'] as const)('results of another version of %s are dropped', (name) => {
  const saved = withPart(noResults, setup, order, 'query', part)
  expect(withPart(saved, { ...setup, [name]: 'other' }, order, 'query', part).history.rate).toHaveLength(1)
  expect(withPart(saved, setup, order, 'query', part).history.rate).toHaveLength(2)
})

test('a commit that changes nothing measured keeps the results', () => {
  const saved = withPart(noResults, setup, order, 'query', part)
  const later = withPart(saved, { ...setup, commit: 'later' }, order, 'query', part)
  expect(later.history.rate).toHaveLength(2)
  expect(later.setup?.commit).toBe('later')
})

test.each([
  ['machine', { machine: { ...part.machine, model: 'Another' } }],
  ['version of it', { version: 'w' }],
])('all runs of a part are of one %s', (_, difference) => {
  const saved = withPart(withPart(noResults, setup, order, 'query', part), setup, order, 'ingest', other)
  const { parts, history } = withPart(saved, setup, order, 'query', { ...part, ...difference })
  expect(history.rate).toHaveLength(1)
  expect(history.other).toHaveLength(1)
  expect(Object.keys(parts)).toEqual(['ingest', 'query'])
})

test('a figure with a goal is quoted as the median of the saved runs, not of the last one', () => {
  const runs = [0.9, 0.75, 0.5].map((ratio) =>
    resultOf({
      what: 'change events stored',
      unit: 'documents/s',
      measured: [100 * ratio],
      beside: { name: 'kafkajs and insertMany', measured: [100] },
      goal: { atLeast: 1 },
    }),
  )
  const saved = runs.reduce(
    (before, run) => withPart(before, setup, order, 'ingest', partResults([run], 5, 'v')),
    noResults,
  )
  expect(performanceText(saved)).toContain('Change entries are stored at 0.75 of the rate of a bare program')
})

test('the saved results are of the versions that the parts have now', async () => {
  const { parts } = await readResults(fileOf('../../results'))
  expect(Object.keys(parts)).not.toEqual([])
  for (const [name, { version }] of Object.entries(parts))
    expect([name, version]).toEqual([name, await versionOf(name)])
})

test.each(readmes)('$name has the saved results', async ({ file, text }) => {
  expect(unaligned(await readFile(file, 'utf8'))).toContain(unaligned(text(await readResults(fileOf('../../results')))))
})

test('the mended rows of this README have the medians of the saved runs', async () => {
  const [, section = ''] = /^### Mended rows$(.*?)^### /ms.exec(await readFile(readmes[0].file, 'utf8')) ?? []
  const [, , ...rows] = section.match(/^\|.*/gm) ?? []
  expect(rows.length).toBeGreaterThan(0)
  const { history } = await readResults(fileOf('../../results'))
  for (const row of rows) {
    const [, name = '', , now] = row.split('|').map((cell) => cell.trim())
    expect(`${name}: ${now}`).toBe(`${name}: ${medianOfRuns(history, name).toFixed(2)}`)
  }
})

/** The formatter aligns the columns of tables. */
const unaligned = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
