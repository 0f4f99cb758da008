import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { describeIssue, toInputFaults } from './input-faults.ts'

function faultsOf(schema: z.ZodType, value: unknown) {
  const parsed = schema.safeParse(value, { error: describeIssue })
  return parsed.success ? [] : toInputFaults(parsed.error)
}

const marks = z.union([
  z.strictObject({ ids: z.array(z.string()).max(2, { error: 'Has too many' }) }),
  z.strictObject({ all: z.literal(true, { error: 'Must be true' }), upTo: z.string().optional() }),
])

test('of a union the faults of the nearest form are told', () => {
  expect(faultsOf(marks, { ids: ['a', 'b', 'c'] })).toEqual([{ pointer: '/ids', detail: 'Has too many' }])
  expect(faultsOf(marks, { all: 1, upTo: 'a' })).toEqual([{ pointer: '/all', detail: 'Must be true' }])
  expect(faultsOf(z.object({ mark: marks }), { mark: { all: true, extra: 1 } })).toEqual([
    { pointer: '/mark/extra', detail: 'Is not known here' },
  ])
  expect(faultsOf(z.object({ mark: marks }), { mark: { all: 1 } })).toEqual([
    { pointer: '/mark/all', detail: 'Must be true' },
  ])
})

test('of a union that nothing is near to, just its place', () => {
  expect(faultsOf(z.object({ mark: marks }), { mark: 5 })).toEqual([{ pointer: '/mark', detail: 'Invalid input' }])
})

test('what is missing is required, wherever it is missing', () => {
  const schema = z.object({
    a: z.string(),
    b: z.object({ c: z.array(z.number()) }),
    d: z.record(z.string(), z.string()),
  })
  expect(faultsOf(schema, { b: {} })).toEqual(
    ['/a', '/b/c', '/d'].map((pointer) => ({ pointer, detail: 'Is required' })),
  )
})
