import process from 'node:process'
import { runHttpService } from '@herald/runtime'
import { createIngest } from './app.ts'
import { ingestSettingsSchema } from './settings/config.ts'

await runHttpService({
  name: 'herald-ingest',
  manifest: new URL('../package.json', import.meta.url),
  schema: ingestSettingsSchema,
  process,
  create: createIngest,
})
