import { runHttpService, type ServiceProcess } from '@herald/runtime'
import { createQuery } from './app.ts'
import { settingsSchema } from './config.ts'

/** Runs query until a signal ends the process. */
export function runQuery(process: ServiceProcess): Promise<void> {
  return runHttpService({
    name: 'herald-query',
    manifest: new URL('../package.json', import.meta.url),
    schema: settingsSchema,
    process,
    create: createQuery,
  })
}
