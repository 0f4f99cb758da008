import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { serviceFile } from '@herald/local-herald'

/** Creates the collections of a database with the built program. */
export async function migrate(settings: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)(process.execPath, [serviceFile('ingest', 'migrate')], { env: settings })
}
