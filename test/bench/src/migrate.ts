import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { serviceFile } from '@herald/local-herald'

/** Creates the collections of a database with the built program, of this checkout or of another. */
export async function migrate(settings: NodeJS.ProcessEnv, checkout?: string): Promise<void> {
  await promisify(execFile)(process.execPath, [serviceFile('ingest', 'migrate', checkout)], { env: settings })
}
