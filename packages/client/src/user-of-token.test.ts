import { expect, test } from '@jest/globals'
import { userOfToken } from './user-of-token.ts'

const token = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`
const ada = { sub: 'ada', subscriber_id: 'acme', exp: 1, jti: 'x', scope: 'a' }

test('is the same for all tokens of a user, in any order of claims', () => {
  const later = { scope: 'b', jti: 'y', exp: 2, subscriber_id: 'acme', sub: 'ada', name: 'Ada ÄÖ 🙂' }
  expect(userOfToken(token(later))).toBe(userOfToken(token(ada)))
})

test.each([
  ['user', { sub: 'bo' }],
  ['subscriber', { subscriber_id: 'other' }],
  ['subscriber under a name of its own', { 'https://acme.example/tenant': 'other' }],
  ['subscriber within an object', { organization: { name: { id: 'other' } } }],
])('differs for another %s', (_, claims) => {
  expect(userOfToken(token({ ...ada, ...claims }))).not.toBe(userOfToken(token(ada)))
})

test('is empty for what is no JWT', () => {
  expect(['opaque', 'a.b.c', ''].map(userOfToken)).toEqual(['', '', ''])
})
