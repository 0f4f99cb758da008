import { expect, test } from '@jest/globals'
import { deriveUserId } from './mapped-values.ts'

// SHA-256 of the UUID's bytes and the text, computed with Python; version 8 and the variant of RFC 9562 are set.
test('the derivation of a user id never changes', () => {
  expect(deriveUserId('0b8f5b1e-6f0e-4b57-9a63-3f6a1a6f0001', 'ada@example.org')).toBe(
    'be05223a-3266-853f-9c50-e532a0ab9b53',
  )
  expect(deriveUserId('0b8f5b1e-6f0e-4b57-9a63-3f6a1a6f0001', 'zoë')).toBe('67575c0e-07ac-8f28-af8a-64b792bc8a16')
})

test('another subscriber’s user has another id', () => {
  expect(deriveUserId('0b8f5b1e-6f0e-4b57-9a63-3f6a1a6f0003', 'ada@example.org')).not.toBe(
    deriveUserId('0b8f5b1e-6f0e-4b57-9a63-3f6a1a6f0001', 'ada@example.org'),
  )
})
