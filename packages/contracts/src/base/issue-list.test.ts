import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { createIssueList, describeIssues, pointerTo } from './issue-list.ts'
import { findUnsafeJson } from './json-safety.ts'
import { toValidationIssues } from './zod-issues.ts'

const bytesOf = (issues: unknown) => Buffer.byteLength(JSON.stringify(issues))

test('as many issues as there may be are all returned', () => {
  const list = createIssueList()
  for (let n = 0; n < 100; n++) list.add(`/${n}`, 'Required')
  expect(list.toArray()).toHaveLength(100)
  expect(list.toArray().at(-1)).toEqual({ pointer: '/99', detail: 'Required' })
})

test('of more the last entry says how many', () => {
  const list = createIssueList()
  for (let n = 0; n < 1_000; n++) list.add(`/${n}`, 'Required')
  expect(list.toArray()).toHaveLength(100)
  expect(list.toArray().at(-1)).toEqual({ pointer: '', detail: '901 more issues' })
  expect(list.count()).toBe(1_000)
})

test('places and details are cut, and all together stay below 48 KiB', () => {
  const list = createIssueList()
  for (let n = 0; n < 100; n++) list.add(`/${'\u0001'.repeat(100_000)}`, '\u0001'.repeat(100_000))
  const issues = list.toArray()
  expect(bytesOf(issues)).toBeLessThan(48 * 1024 + 100)
  expect(issues[0]?.pointer).toHaveLength(200)
  expect(issues.at(-1)?.detail).toBe(`${100 - issues.length + 1} more issues`)
})

test('a place is cut to 200 whole characters, as it is made', () => {
  expect(pointerTo('/a', 'b/c~d')).toBe('/a/b~1c~0d')
  const cut = pointerTo('', '🔑'.repeat(1_000))
  expect(cut.length).toBeLessThanOrEqual(200)
  expect(cut.isWellFormed()).toBe(true)
  expect(cut.endsWith('…')).toBe(true)
  expect(pointerTo(cut.padEnd(200), 'x')).toBe(cut.padEnd(200))
})

test('60 bad values below a key of 400,000 characters are told in a few kilobytes', () => {
  const bad = JSON.parse(`{"${'k'.repeat(400_000)}":{${Array.from({ length: 60 }, (_, n) => `"${n}":1e999`)}}}`)
  const issues = findUnsafeJson(bad, 64)
  expect(issues.length).toBe(60)
  expect(bytesOf(issues)).toBeLessThan(32 * 1024)
  expect(Buffer.byteLength(describeIssues(issues))).toBeLessThan(3_000)
})

test('reports a schema violation below such a key in a few kilobytes', () => {
  const schema = z.record(z.string(), z.array(z.string()))
  const { error } = schema.safeParse({ ['k'.repeat(400_000)]: Array(5_000).fill(1) })
  const issues = error ? toValidationIssues(error) : []
  expect(issues).toHaveLength(100)
  expect(bytesOf(issues)).toBeLessThan(48 * 1024)
  expect(issues.at(-1)).toEqual({ pointer: '', detail: '4901 more issues' })
})

test('the pointer of data that is wrong as a whole has no slash at its end', () => {
  expect(describeIssues([{ pointer: '', detail: 'Required' }], '/data')).toBe('/data: Required')
  expect(describeIssues([{ pointer: '', detail: 'Required' }])).toBe('/: Required')
})

test('a line of issues ends with how many are left', () => {
  const issues = Array.from({ length: 90 }, (_, n) => ({ pointer: `/${n}`, detail: 'x'.repeat(100) }))
  const line = describeIssues(issues, '/data')
  expect(line.startsWith('/data/0: xxx')).toBe(true)
  expect(line).toMatch(/; \d+ more$/)
  expect(line.length).toBeLessThan(1_024)
})
