import { readFileSync } from 'node:fs'
import { type BudgetDefinition, httpBudgets, loadSettings } from '@herald/runtime'
import { expect, test } from '@jest/globals'
import type { z } from 'zod'
import { queryBudgets } from './budgets.ts'
import { settingsSchema } from './config.ts'
import { sealSettingsSchema } from './sealing/config.ts'

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

/** The rows of the table between the comments, as trimmed cells. */
function tableOf(region: string): string[][] {
  const text = readme.split(`<!-- ${region} -->`)[1]?.split(`<!-- end of ${region} -->`)[0] ?? ''
  const rows = text.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split(/(?<!\\\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

test('the settings tables in the README match the schemas', () => {
  expect(tableOf('settings of query')).toEqual(rowsOf(settingsSchema.shape))
  expect(tableOf('settings of seal')).toEqual(rowsOf(sealSettingsSchema.shape))
})

const rowsOf = (shape: Record<string, z.ZodType>) =>
  Object.entries(shape).map(([name, setting]) => {
    const { success, data } = setting.safeParse(undefined)
    const preset = String(data ?? '')
    return [`\`${name}\``, success ? preset && `\`${preset}\`` : 'required', setting.description ?? '']
  })

test('the table of budgets in the README matches their definitions', () => {
  const definitions: readonly BudgetDefinition[] = [...httpBudgets, ...queryBudgets]
  const rows = definitions.map(({ setting, counts, sum, userShare, beyond }) => [
    ...[`\`${setting}\``, counts, ...[1, 1 / 2, userShare].map((share) => amountOf(sum * share))],
    beyond ?? '429; 503 if the process is full',
  ])
  expect(tableOf('budgets of query')).toEqual(rows)
})

const amountOf = (amount: number) => (amount < 2 ** 20 ? String(amount) : `${amount / 2 ** 20} MiB`)

const required = {
  MONGODB_URI: 'mongodb://localhost/',
  AUTH_JWKS_URI: 'https://issuer.example/keys',
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'herald',
}

const issuesOf = (environment: Record<string, string>) => {
  const loaded = loadSettings(settingsSchema, environment)
  return loaded.ok ? [] : loaded.issues.map(({ name }) => name).sort()
}

test('the required settings are sufficient', () => {
  expect(issuesOf(required)).toEqual([])
})

test('reports all missing settings at once', () => {
  const names = ['AUTH_AUDIENCE', 'AUTH_ISSUER', 'AUTH_JWKS_URI or AUTH_PUBLIC_KEY', 'MONGODB_URI']
  expect(issuesOf({})).toEqual(names)
})
