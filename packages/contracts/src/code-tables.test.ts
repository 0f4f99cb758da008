import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { codesPage } from './code-tables.fixture.ts'

test('the page of codes agrees with the source: npm run generate -w packages/contracts writes it', () => {
  expect(readFileSync(new URL('../codes.md', import.meta.url), 'utf8')).toBe(codesPage)
})
