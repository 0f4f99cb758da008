import { loadSettings } from '@herald/runtime'
import { expect, test } from '@jest/globals'
import { querySettingsSchema } from './config.ts'
import { currentPage, page } from './settings-page.fixture.ts'

test('deploy/settings.md is up to date; run `npm run generate -w services/query` if it is not', () => {
  expect(page).toBe(currentPage)
})

const required = {
  MONGODB_URI: 'mongodb://localhost/',
  AUTH_JWKS_URI: 'https://issuer.example/keys',
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'herald',
}

const issuesOf = (environment: Record<string, string>) => {
  const loaded = loadSettings(querySettingsSchema, environment)
  return loaded.ok ? [] : loaded.issues.map(({ name }) => name).sort()
}

test('the required settings are sufficient', () => {
  expect(issuesOf(required)).toEqual([])
})

test('reports all missing settings at once', () => {
  const names = ['AUTH_AUDIENCE', 'AUTH_ISSUER', 'AUTH_JWKS_URI or AUTH_PUBLIC_KEY', 'MONGODB_URI']
  expect(issuesOf({})).toEqual(names)
})
