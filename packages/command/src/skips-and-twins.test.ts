import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { workspaceRoot } from './workspace.ts'

const read = (path: string) => readFileSync(join(workspaceRoot, path), 'utf8')
const skips = read('.ci/skips.txt')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
const form = /^(?<date>\d{4}-\d\d-\d\d) (?<runs>run|github|all) (?<path>\S+) (?<reason>\S.{9,})$/
const listed = skips.map((line) => form.exec(line)?.groups ?? { line })

/** Skips are made by Jest’s functions, by tests that are given a reason, or by a suite that says so in the line that CI reads. */
const canSkip = /\b(test|describe|run)\.skip\b|\bwhy: |\bSKIPPED test\//

/**
 * The source of a test file, or the files that say what is skipped: of a folder, as `test/foreign/packages`, or of a suite
 * that names the part, as `test/faults/disk-full`.
 */
function sourcesOf(path: string): string {
  if (path.endsWith('.ts')) return read(path)
  const [, suite = '', part = ''] = path.split('/')
  const isFolder = existsSync(join(workspaceRoot, path))
  const folder = isFolder ? path : `test/${suite}/src`
  const files = readdirSync(join(workspaceRoot, folder)).filter((name) => name.endsWith('.ts'))
  const text = files.map((name) => read(`${folder}/${name}`)).join('\n')
  return isFolder || text.includes(`'${part}`) ? text : ''
}

test('each skip that is allowed has a date, a run, a test and a reason', () => {
  expect(listed).toEqual(
    listed.map(() => ({
      date: expect.any(String),
      runs: expect.any(String),
      path: expect.any(String),
      reason: expect.any(String),
    })),
  )
  for (const { date = '' } of listed) expect(new Date(date).toISOString().slice(0, 10)).toBe(date)
  expect(new Set(listed.map(({ path }) => path)).size).toBe(listed.length)
})

test.each(listed.map(({ path = '' }) => path))('%s exists and can be skipped', (path) => {
  expect(sourcesOf(path)).toMatch(canSkip)
})

test('the tests that stand for parts of the fault suite exist', () => {
  const twins = [...read('test/faults/src/twins.ts').matchAll(/'(\S+\.test\.ts)'/g)].map(([, path = '']) => path)
  expect(twins.length).toBeGreaterThan(5)
  for (const path of twins) expect([path, existsSync(join(workspaceRoot, path))]).toEqual([path, true])
})
