import { expect, test } from '@jest/globals'
import { makeUuidV7, timeOfUuidV7 } from './uuid.ts'

test('makes the example of RFC 9562, appendix A.6', () => {
  // rand_a = 0xcc3, rand_b = 0x18c4dc0c0c07398f: 74 bits, shifted to the front of 10 bytes.
  const bits = ((0xcc3n << 62n) | 0x18c4dc0c0c07398fn) << 6n
  const tail = Buffer.from(bits.toString(16).padStart(20, '0'), 'hex')
  expect(makeUuidV7(0x017f22e279b0, tail)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
})

test('makes ids that sort by time', () => {
  const early = makeUuidV7(1_000, Buffer.alloc(10, 0xff))
  const late = makeUuidV7(1_001, Buffer.alloc(10, 0x00))
  expect(early < late).toBe(true)
})

test('reads the time of a UUIDv7, but of no other version', () => {
  expect(timeOfUuidV7(makeUuidV7(1_767_225_600_123, Buffer.alloc(10)))).toBe(1_767_225_600_123)
  expect(timeOfUuidV7('11111111-1111-4111-8111-111111111111')).toBeUndefined()
})
