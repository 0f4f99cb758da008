import { expect, test } from '@jest/globals'
import { isUuid } from '../base/uuid.ts'
import { deriveSubscriberId } from './derive-subscriber-id.ts'

// Golden vectors, computed by an independent program from the contract's text. They never change.
test.each([
  ['42', 'd0aad9f5-cfef-8e26-8177-fa9a91f25871'],
  ['acme', 'c03660a3-d372-86a5-a1f7-6c8c5926ed22'],
  ['größe', '4a9213f8-e7c0-8c53-8621-8418d9abfcd8'],
  ['9007199254740993', 'f77d2d57-f01a-8e9a-8a70-f937a531447a'],
  ['', '95ad3fe1-8099-89cc-ae32-8845300251e0'],
])('derives the frozen id of %j', (text, expected) => {
  expect(deriveSubscriberId(text)).toBe(expected)
  expect(isUuid(expected)).toBe(true)
})
