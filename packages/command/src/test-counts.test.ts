import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Part, readCounts, summary } from './test-counts.ts'

let folder: string
let parts: Part[]

async function report(name: string, task: Part['task'], counts: object) {
  await mkdir(join(folder, name, '.turbo'), { recursive: true })
  await writeFile(join(folder, name, '.turbo', `${task.replace(':', '-')}.json`), JSON.stringify(counts))
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-counts-'))
  await report('store', 'test:servers', { run: 'this', passed: 3, failed: 1, skipped: 0, seconds: 9 })
  await report('query', 'test:pure', { run: 'earlier', passed: 4, failed: 0, skipped: 2, seconds: 5 })
  await report('query', 'test:servers', { run: 'earlier', passed: 50, failed: 0, skipped: 0, seconds: 5 })
  parts = [
    { folder: join(folder, 'store'), task: 'test:servers' },
    { folder: join(folder, 'query'), task: 'test:pure' },
    { folder: join(folder, 'query'), task: 'test:servers' },
    { folder: join(folder, 'ingest'), task: 'test:pure' },
  ]
})
afterAll(() => rm(folder, { recursive: true }))

test('sums the counts of this run and of what turbo has restored, and lists parts without a report', async () => {
  const counts = await readCounts('this', parts)
  expect(counts).toMatchObject({ passed: 7, failed: 1, skipped: 2 })
  expect(counts.silent).toEqual(['query test:servers', 'ingest test:pure'])
})

test('names what was not run again, and counts each other failure as one in the last line', async () => {
  const counts = await readCounts('this', parts)
  const lines = summary(counts, ['Lint failed.', 'ingest test:pure did not report any counts.']).split('\n')
  expect(lines.slice(-5)).toEqual([
    'store test:servers: 3 passed, 1 failed, 0 skipped in 9 s',
    'Unchanged since they passed, not run again: query test:pure.',
    'Lint failed.',
    'ingest test:pure did not report any counts.',
    '7 passed, 3 failed, 2 skipped',
  ])
})
