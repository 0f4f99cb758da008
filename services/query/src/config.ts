import {
  authenticationSettings,
  budgetSettings,
  httpSettings,
  observationSettings,
  retentionSettings,
  storageSettings,
} from '@herald/runtime'
import { z } from 'zod'
import { queryBudgets } from './budgets.ts'

export const querySettingsSchema = z.object({
  ...httpSettings({ port: 3002, adminPort: 9002 }),
  ...observationSettings,
  ...storageSettings,
  ...authenticationSettings,
  ...retentionSettings,
  ...budgetSettings(...queryBudgets),
})
export type QuerySettings = z.output<typeof querySettingsSchema>
