import { readFileSync } from 'node:fs'
import { httpBudgets } from '@herald/runtime'
import { withSettingsOf } from '@herald/runtime/testing'
import { ingestBudgets } from '../http/budgets.ts'
import { ingestSettingsSchema } from './config.ts'

export const pageFile = new URL('../../../../deploy/settings.md', import.meta.url)
export const page = readFileSync(pageFile, 'utf8')
export const currentPage = withSettingsOf(page, {
  name: 'ingest',
  settings: ingestSettingsSchema.shape,
  budgets: [...httpBudgets, ...ingestBudgets],
})
