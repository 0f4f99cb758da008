import { readFileSync } from 'node:fs'
import { httpBudgets } from '@herald/runtime'
import { withSettingsOf } from '@herald/runtime/testing'
import { queryBudgets } from './budgets.ts'
import { querySettingsSchema } from './config.ts'
import { sealSettingsSchema } from './sealing/config.ts'

export const pageFile = new URL('../../../deploy/settings.md', import.meta.url)
export const page = readFileSync(pageFile, 'utf8')
const withQuery = withSettingsOf(page, {
  name: 'query',
  settings: querySettingsSchema.shape,
  budgets: [...httpBudgets, ...queryBudgets],
})
export const currentPage = withSettingsOf(withQuery, {
  name: 'seal',
  settings: sealSettingsSchema.shape,
  budgets: [],
})
