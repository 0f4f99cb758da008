import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { zodFaults } from './zod-faults.ts'

const schema = z.strictObject({ list: z.array(z.strictObject({ 'a/b~c': z.string() })) })

const faultsOf = (input: unknown) => {
  const { error } = schema.safeParse(input)
  return error ? zodFaults(error) : []
}

test('a fault is at its place, as RFC 6901 writes places', () => {
  expect(faultsOf({ list: [{ 'a/b~c': '' }, { 'a/b~c': 1 }] })).toMatchObject([{ pointer: '/list/1/a~1b~0c' }])
})

test('every unknown key is a fault of its own', () => {
  expect(faultsOf({ list: [{ 'a/b~c': '', x: 1, 'y/z': 2 }], w: 3 })).toEqual([
    { pointer: '/list/0/x', detail: 'Is not known here' },
    { pointer: '/list/0/y~1z', detail: 'Is not known here' },
    { pointer: '/w', detail: 'Is not known here' },
  ])
})

test('the whole is at the empty pointer', () => {
  expect(faultsOf(null)).toMatchObject([{ pointer: '' }])
})
