import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { resultOf } from '../figure.ts'
import { noResults, partResults, readResults, saveResults, withPart } from './saved-results.ts'
import type { Setup } from './setup.ts'

const order = ['ingest', 'query']
const versions = { kafka: '4.1.0', mongodb: '6.0.5', node: 'v24.0.0' }
const setup: Setup = { commit: 'a', ...versions, options: {} }
const partOf = (what: string) => partResults([resultOf({ what, unit: '/s', measured: [1], goal: { atLeast: 1 } })], 5)
const part = partOf('rate')
const other = partOf('other')

test('all rows of the table, and all runs of a median, are of one commit', () => {
  const first = withPart(noResults, setup, order, 'query', part)
  const second = withPart(first, { ...setup, commit: 'c' }, order, 'ingest', part)
  expect(Object.keys(second.parts)).toEqual(['ingest'])
  expect(second.history.rate).toHaveLength(1)
  const both = withPart(second, { ...setup, commit: 'c' }, order, 'query', part)
  expect(Object.keys(both.parts)).toEqual(['ingest', 'query'])
  expect(both.history.rate).toHaveLength(2)
})

test.each(['kafka', 'mongodb', 'node'] as const)('results of another version of %s are dropped', (name) => {
  const saved = withPart(noResults, setup, order, 'query', part)
  expect(withPart(saved, { ...setup, [name]: 'other' }, order, 'query', part).history.rate).toHaveLength(1)
  expect(withPart(saved, setup, order, 'query', part).history.rate).toHaveLength(2)
})

test('all runs of a part are of one machine', () => {
  const saved = withPart(withPart(noResults, setup, order, 'query', part), setup, order, 'ingest', other)
  const onAnother = { ...part, machine: { ...part.machine, model: 'Another' } }
  const { parts, history } = withPart(saved, setup, order, 'query', onAnother)
  expect(history.rate).toHaveLength(1)
  expect(history.other).toHaveLength(1)
  expect(Object.keys(parts)).toEqual(['ingest', 'query'])
})

test('what is saved is read again by the next part, and its table names the commit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'herald-bench-'))
  try {
    await saveResults(folder, withPart(noResults, setup, order, 'query', part))
    const saved = withPart(await readResults(folder), setup, order, 'query', part)
    expect(saved.history.rate).toHaveLength(2)
    await saveResults(folder, saved)
    const table = await readFile(join(folder, 'table.md'), 'utf8')
    expect(table).toContain('Commit a, ')
    expect(table).toContain('| rate | 1.00 /s (1.00–1.00) |')
    expect(table).toContain('≥ 1: 2 of 3 runs')
  } finally {
    await rm(folder, { recursive: true })
  }
})
