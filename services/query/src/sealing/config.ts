import { adminSettings, observationSettings, retentionSettings, storageSettings } from '@herald/runtime'
import { z } from 'zod'

export const sealSettingsSchema = z.object({
  ...adminSettings({ adminPort: 9003 }),
  ...observationSettings,
  ...storageSettings,
  ...retentionSettings,
})
export type SealSettings = z.output<typeof sealSettingsSchema>
