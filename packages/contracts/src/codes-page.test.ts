import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { codesPage } from './codes-page.fixture.ts'

test('codes.md is up to date; run `npm run generate -w packages/contracts` if it is not', () => {
  expect(readFileSync(new URL('../codes.md', import.meta.url), 'utf8')).toBe(codesPage)
})
