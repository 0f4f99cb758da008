import process from 'node:process'
import { runHttpService } from '@herald/runtime'
import { createQuery } from './app.ts'
import { settingsSchema } from './config.ts'

await runHttpService({
  name: 'herald-query',
  manifest: new URL('../package.json', import.meta.url),
  schema: settingsSchema,
  process,
  create: createQuery,
})
