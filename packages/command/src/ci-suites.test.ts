import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { workspaceRoot } from './workspace.ts'

const program = join(workspaceRoot, '.ci/suites')
const jobs = (paths: string, ...args: string[]) =>
  JSON.parse(execFileSync(program, args, { input: paths, encoding: 'utf8' })) as { name: string; run: string }[]
const names = (...paths: string[]) => jobs(paths.join('\n')).map(({ name }) => name)

test('a change runs the long forms of the suites that it concerns, beside .ci/run', () => {
  expect(names('README.md', 'packages/store/src/index.ts')).toEqual(['run'])
  expect(names('README.md', 'packages/sealed-log/src/proof.ts')).toEqual(['run', 'languages'])
  expect(names('deploy/Dockerfile')).toEqual(['run', 'containers', 'deploy'])
  expect(names('services/ingest/src/captured-changes/golden.test.ts')).toEqual(['run', 'captured-changes'])
  expect(names('packages/client/src/index.ts')).toEqual(['run', 'browser', 'packages'])
})

test('everything is one job', () => {
  expect(jobs('', '--all')).toEqual([{ name: 'all', minutes: 350, run: 'npm run test:all' }])
})

test('each suite that can be named is a script, and what it tests exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8'))
  const [, table = ''] = /<<'SUITES'\n(.*?)SUITES/s.exec(readFileSync(program, 'utf8')) ?? []
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
  expect(rows.length).toBeGreaterThan(5)
  for (const [name = '', ...starts] of rows) {
    expect(scripts).toHaveProperty([`test:${name}`])
    for (const start of starts) {
      const files = execFileSync('git', ['ls-files', start], { cwd: workspaceRoot, encoding: 'utf8' })
      expect([start, files]).not.toEqual([start, ''])
    }
  }
})
