import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readCounts, summary } from './test-counts.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-counts-'))
  await writeFile(join(folder, 'store.json'), JSON.stringify({ passed: 3, failed: 1, skipped: 0 }))
  await writeFile(join(folder, 'query.json'), JSON.stringify({ passed: 4, failed: 0, skipped: 2 }))
})
afterAll(() => rm(folder, { recursive: true }))

test('sums the counts and lists packages without a report', async () => {
  const counts = await readCounts(folder, ['packages/store', 'services/query', 'services/ingest'])
  expect(counts).toMatchObject({ passed: 7, failed: 1, skipped: 2, silent: ['services/ingest'] })
})

test('counts each other failure as one in the last line', async () => {
  const counts = await readCounts(folder, [])
  const lines = summary(counts, ['Lint failed.', 'services/ingest has tests but did not report any.']).split('\n')
  expect(lines.slice(-3)).toEqual([
    'Lint failed.',
    'services/ingest has tests but did not report any.',
    '7 passed, 3 failed, 2 skipped',
  ])
  expect(lines).toContain('store: 3 passed, 1 failed, 0 skipped')
})
