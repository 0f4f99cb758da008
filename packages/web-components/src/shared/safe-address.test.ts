import { expect, test } from '@jest/globals'
import { safeAddress } from './safe-address.ts'

test.each([
  'https://app.example/comments/1',
  'HTTP://app.example',
  '/comments/1',
  '#/comment/1',
  '?id=1',
  'comments/1',
  '//images.example/ada.png',
])('accepts %p', (address) => {
  expect(safeAddress(address)).toBe(address)
})

test.each([
  'javascript:alert(1)',
  ' JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:image/svg+xml,<svg/>',
  'blob:https://app.example/1',
  'file:///etc/passwd',
  'vbscript:x',
  'app-scheme:x',
  '',
  undefined,
])('rejects %p', (address) => {
  expect(safeAddress(address)).toBeUndefined()
})
