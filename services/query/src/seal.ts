import process from 'node:process'
import { runHttpService } from '@herald/runtime'
import { createSealer } from './sequencing/app.ts'
import { sealSettingsSchema } from './sequencing/config.ts'

await runHttpService({
  name: 'herald-seal',
  manifest: new URL('../package.json', import.meta.url),
  schema: sealSettingsSchema,
  process,
  create: createSealer,
})
