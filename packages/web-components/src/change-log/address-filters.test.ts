import { expect, test } from '@jest/globals'
import { queryOf, readFilters, writeFilters } from './address-filters.ts'

const userId = '0190a6e0-7c1b-7def-8abc-000000000001'

test('reads the filters it wrote and keeps other parameters', () => {
  const filters = { entityType: 'portfolio', changedField: 'a&b=c ü', userId, from: '2026-01-31', to: '2026-02-01' }
  const search = writeFilters('?tab=log&entityId=old', '', filters)
  expect(readFilters(search, '')).toEqual(filters)
  expect(new URLSearchParams(search).get('tab')).toBe('log')
  expect(writeFilters(search, '', {})).toBe('?tab=log')
})

test('a prefix separates filters from other parameters of the page', () => {
  expect(writeFilters('?userId=mine', 'log.', { userId })).toBe(`?userId=mine&log.userId=${userId}`)
  expect(readFilters('?userId=mine', 'log.')).toEqual({})
})

test('ignores values that Herald would reject', () => {
  expect(readFilters('?userId=me&from=yesterday&to=2026-13-77&entityType=', '')).toEqual({})
})

test('days start at local midnight, and the last day is included', () => {
  expect(queryOf({ from: '2026-01-31', to: '2026-01-31', actionType: 'update' })).toEqual({
    actionType: 'update',
    createdFrom: new Date(2026, 0, 31),
    createdTo: new Date(2026, 1, 1),
  })
})
