import { globSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { root } from './overlays.ts'

const runbooks = readFileSync(`${root}deploy/runbooks.md`, 'utf8')
const sources = globSync('{services,packages}/*/src/**/*.ts', { cwd: root }).map((file) =>
  readFileSync(root + file, 'utf8'),
)

test('log lines quoted in the runbooks exist in the source', () => {
  const quoted = [...runbooks.matchAll(/`([A-Z][a-z]+ [^`]+)`/g)].map(([, line]) => line as string)
  expect(quoted.length).toBeGreaterThan(0)
  expect(quoted.filter((line) => !sources.some((source) => source.includes(line)))).toEqual([])
})

test('the runbooks mention every dead-letter code', () => {
  const source = readFileSync(`${root}packages/contracts/src/base/dead-letter-reasons.ts`, 'utf8')
  const codes = [...source.matchAll(/^ {2}([a-z_]+):/gm)].map(([, code]) => code as string)
  expect(codes.length).toBeGreaterThan(5)
  expect(codes.filter((code) => !runbooks.includes(`\`${code}\``))).toEqual([])
})
