import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { toValidationIssues } from './zod-issues.ts'

const schema = z.strictObject({ list: z.array(z.strictObject({ 'a/b~c': z.string() })) })

function issuesOf(input: unknown, by: z.ZodType = schema) {
  const { error } = by.safeParse(input)
  return error ? toValidationIssues(error) : []
}

test('reports the place as a JSON Pointer (RFC 6901)', () => {
  expect(issuesOf({ list: [{ 'a/b~c': '' }, { 'a/b~c': 1 }] })).toMatchObject([{ pointer: '/list/1/a~1b~0c' }])
})

test('reports each unknown key separately', () => {
  expect(issuesOf({ list: [{ 'a/b~c': '', x: 1, 'y/z': 2 }], w: 3 })).toEqual([
    { pointer: '/list/0/x', detail: 'Unknown field' },
    { pointer: '/list/0/y~1z', detail: 'Unknown field' },
    { pointer: '/w', detail: 'Unknown field' },
  ])
})

test('reports an empty pointer for the whole document', () => {
  expect(issuesOf(null)).toMatchObject([{ pointer: '' }])
})

const marks = z.union([
  z.strictObject({ ids: z.array(z.string()).max(2, { error: 'Has too many' }) }),
  z.strictObject({ all: z.literal(true, { error: 'Must be true' }), upTo: z.string().optional() }),
])

test('reports the errors of the closest union branch', () => {
  expect(issuesOf({ ids: ['a', 'b', 'c'] }, marks)).toEqual([{ pointer: '/ids', detail: 'Has too many' }])
  expect(issuesOf({ all: 1, upTo: 'a' }, marks)).toEqual([{ pointer: '/all', detail: 'Must be true' }])
  expect(issuesOf({ mark: { all: true, extra: 1 } }, z.object({ mark: marks }))).toEqual([
    { pointer: '/mark/extra', detail: 'Unknown field' },
  ])
  expect(issuesOf({ mark: { all: 1 } }, z.object({ mark: marks }))).toEqual([
    { pointer: '/mark/all', detail: 'Must be true' },
  ])
})

test('reports only the path when no union branch matches', () => {
  expect(issuesOf({ mark: 5 }, z.object({ mark: marks }))).toEqual([{ pointer: '/mark', detail: 'Invalid input' }])
})

test('reports missing values as required at any depth', () => {
  const schema = z.object({
    a: z.string(),
    b: z.object({ c: z.array(z.number()) }),
    d: z.record(z.string(), z.string()),
  })
  expect(issuesOf({ b: {} }, schema)).toEqual(['/a', '/b/c', '/d'].map((pointer) => ({ pointer, detail: 'Required' })))
})

test('reports at most 100 errors', () => {
  expect(issuesOf(Array(131_000).fill(0), z.array(z.string()))).toHaveLength(100)
  const keys = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]))
  expect(issuesOf(keys, z.strictObject({}))).toHaveLength(100)
})
