import { z } from 'zod'
import { integerSetting, urlSetting } from './setting-types.ts'

// `.meta` must be last in each chain: further calls create a schema without it.

export const observationSettings = {
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .meta({ description: 'Minimum log level: fatal, error, warn, info, debug, trace or silent' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: urlSetting()
    .optional()
    .meta({ description: 'OTLP endpoint for traces; tracing is off if unset' }),
}

export const storageSettings = {
  MONGODB_URI: z
    .string()
    .refine((text) => /^mongodb(\+srv)?:\/\/[^\s/]+(\/\S*)?$/.test(text), {
      error: 'Must start with mongodb:// or mongodb+srv:// and name a host',
    })
    .meta({ description: 'Connection string of a MongoDB replica set' }),
  MONGODB_DATABASE: z
    .string()
    .refine((text) => /^[^/\\. "$*<>:|?\0]{1,63}$/.test(text), { error: 'Must be the name of a database' })
    .default('herald')
    .meta({ description: 'Name of the database' }),
}

export const retentionSettings = {
  RETENTION_DAYS: integerSetting({ min: 1, max: 36_500 })
    .optional()
    .meta({ description: 'Days until documents expire; never if unset' }),
}
