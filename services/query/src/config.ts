import {
  authenticationSettings,
  httpSettings,
  observationSettings,
  retentionSettings,
  storageSettings,
} from '@herald/runtime'
import { z } from 'zod'

/** The settings of query, by the names of environment variables. */
export const settingsSchema = z.object({
  ...httpSettings({ port: 3002, adminPort: 9002 }),
  ...observationSettings,
  ...storageSettings,
  ...authenticationSettings,
  ...retentionSettings,
})
export type Settings = z.output<typeof settingsSchema>
