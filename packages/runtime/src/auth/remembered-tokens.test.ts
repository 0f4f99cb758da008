import { expect, test } from '@jest/globals'
import type { Identity } from './identity.ts'
import { createRememberedTokens } from './remembered-tokens.ts'

const expiresAt = new Date('2026-05-01T12:00:00Z')
const identity = { userId: 'u', expiresAt } as Identity
const before = (seconds: number) => new Date(expiresAt.getTime() - seconds * 1_000)
const now = before(60)

function remembering(options: { max?: number } = {}) {
  let keys: object | undefined = {}
  const tokens = createRememberedTokens({ keysInForce: () => keys, toleranceMs: 30_000, ...options })
  return {
    ...tokens,
    keys: () => keys,
    rotate: (next: object | undefined) => {
      keys = next
    },
  }
}

test('a token is known until it has expired, tolerance included', () => {
  const { recall, remember, keys } = remembering()
  expect(recall('t', now)).toBeUndefined()
  remember('t', identity, keys())
  expect(recall('t', before(-29))).toBe(identity)
  expect(recall('t', before(-30))).toBeUndefined()
  expect(recall('t', now)).toBeUndefined()
})

test.each([
  ['others', {}],
  ['none', undefined],
])('it is known no more when there are %s keys', (_, next) => {
  const { recall, remember, keys, rotate } = remembering()
  remember('t', identity, keys())
  rotate(next)
  expect(recall('t', now)).toBeUndefined()
})

test('one whose keys were exchanged while it was verified is not remembered', () => {
  const { recall, remember, keys, rotate } = remembering()
  const former = keys()
  rotate({})
  remember('t', identity, former)
  expect(recall('t', now)).toBeUndefined()
})

test('who came longest ago is forgotten first, and long tokens are not kept', () => {
  const { recall, remember, keys } = remembering({ max: 2 })
  remember('a', identity, keys())
  remember('b', identity, keys())
  recall('a', now)
  remember('c', identity, keys())
  remember('x'.repeat(2_049), identity, keys())
  expect(['a', 'b', 'c', 'x'.repeat(2_049)].map((token) => recall(token, now) !== undefined)).toEqual([
    true,
    false,
    true,
    false,
  ])
})
