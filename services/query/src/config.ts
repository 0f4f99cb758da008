import { limits } from '@herald/contracts'
import {
  authenticationSettings,
  httpSettings,
  integerSetting,
  observationSettings,
  retentionSettings,
  storageSettings,
} from '@herald/runtime'
import { z } from 'zod'

const countSetting = () => integerSetting({ min: 1, max: 1_000_000 })

/** The settings of the service, by environment variable. */
export const settingsSchema = z.object({
  ...httpSettings({ port: 3002, adminPort: 9002 }),
  ...observationSettings,
  ...storageSettings,
  ...authenticationSettings,
  ...retentionSettings,
  MAX_EXPORTS_PER_USER: countSetting()
    .default(limits.exportsPerUser)
    .meta({ description: 'Exports that one user may have open, counted per process' }),
  MAX_EXPORTS: countSetting()
    .default(limits.exportsPerProcess)
    .meta({ description: 'Exports that all users together may have open in one process' }),
  MAX_STREAMS_PER_USER: countSetting()
    .default(limits.streamsPerUser)
    .meta({ description: 'Event streams that one user may have open, counted per process' }),
  MAX_STREAMS: countSetting()
    .default(limits.streamsPerProcess)
    .meta({ description: 'Event streams that all users together may have open in one process' }),
})
export type Settings = z.output<typeof settingsSchema>
