import process from 'node:process'
import { runHttpService } from '@herald/runtime'
import { createQuery } from './app.ts'
import { querySettingsSchema } from './config.ts'

await runHttpService({
  name: 'herald-query',
  manifest: new URL('../package.json', import.meta.url),
  schema: querySettingsSchema,
  process,
  create: createQuery,
})
