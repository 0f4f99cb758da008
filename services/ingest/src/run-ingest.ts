import { runHttpService, type ServiceProcess } from '@herald/runtime'
import { createIngest } from './app.ts'
import { settingsSchema } from './config.ts'

/** Runs ingest until a signal ends the process. */
export function runIngest(process: ServiceProcess): Promise<void> {
  return runHttpService({
    name: 'herald-ingest',
    manifest: new URL('../package.json', import.meta.url),
    schema: settingsSchema,
    process,
    create: createIngest,
  })
}
