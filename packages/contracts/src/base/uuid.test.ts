import { expect, test } from '@jest/globals'
import { bytesToUuid, isUuid, uuidSchema, uuidToBytes } from './uuid.ts'

test.each([
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9',
])('accepts %s in either case and converts it to bytes and back', (uuid) => {
  expect(uuidSchema.parse(uuid.toUpperCase())).toBe(uuid)
  expect(isUuid(uuid.toUpperCase())).toBe(true)
  expect(bytesToUuid(uuidToBytes(uuid.toUpperCase()))).toBe(uuid)
})

test.each([
  '',
  '6f1e2d3c4b5a49788695a4b3c2d1e0f9',
  '{6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9}',
  'urn:uuid:6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9',
  '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9\n',
  ' 6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9',
  '6g1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9',
])('rejects %j', (text) => {
  expect(uuidSchema.safeParse(text).success).toBe(false)
  expect(isUuid(text)).toBe(false)
})

test('reads bytes at an offset', () => {
  const bytes = Buffer.concat([Buffer.alloc(3), uuidToBytes('6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9'), Buffer.alloc(1)])
  expect(bytesToUuid(bytes, 3)).toBe('6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9')
})
