import { expect, test } from '@jest/globals'
import type { Identity } from './identity.ts'
import { createTokenCache } from './token-cache.ts'

const expiresAt = new Date('2026-05-01T12:00:00Z')
const identity = { userId: 'u', expiresAt } as Identity
const before = (seconds: number) => new Date(expiresAt.getTime() - seconds * 1_000)
const now = before(60)

function createTestCache(options: { max?: number } = {}) {
  let keys: object | undefined = {}
  const cache = createTokenCache({ currentKeys: () => keys, toleranceMs: 30_000, ...options })
  return {
    ...cache,
    keys: () => keys,
    rotate: (next: object | undefined) => {
      keys = next
    },
  }
}

test('returns the identity until the token has expired, tolerance included', () => {
  const { get, set, keys } = createTestCache()
  expect(get('t', now)).toBeUndefined()
  set('t', identity, keys())
  expect(get('t', before(-29))).toBe(identity)
  expect(get('t', before(-30))).toBeUndefined()
  expect(get('t', now)).toBeUndefined()
})

test.each([
  ['others', {}],
  ['none', undefined],
])('drops a token once its keys are replaced by %s', (_, next) => {
  const { get, set, keys, rotate } = createTestCache()
  set('t', identity, keys())
  rotate(next)
  expect(get('t', now)).toBeUndefined()
})

test('does not cache a token whose keys were replaced during verification', () => {
  const { get, set, keys, rotate } = createTestCache()
  const former = keys()
  rotate({})
  set('t', identity, former)
  expect(get('t', now)).toBeUndefined()
})

test('evicts the least recently used token, and does not cache long ones', () => {
  const { get, set, keys } = createTestCache({ max: 2 })
  set('a', identity, keys())
  set('b', identity, keys())
  get('a', now)
  set('c', identity, keys())
  set('x'.repeat(2_049), identity, keys())
  expect(['a', 'b', 'c', 'x'.repeat(2_049)].map((token) => get(token, now) !== undefined)).toEqual([
    true,
    false,
    true,
    false,
  ])
})
