import process from 'node:process'
import { createLogger, loadOrExit } from '@herald/runtime'
import { createStore } from '@herald/store'
import { migrateSettingsSchema } from './settings/config.ts'

// Creates collections and indexes. Run it before a roll-out; it can be repeated and run concurrently.
const logger = createLogger({ name: 'herald-migrate', level: 'info' })
const { MONGODB_URI: uri, MONGODB_DATABASE: database, ...others } = loadOrExit(migrateSettingsSchema, process, logger)
const words = process.argv.slice(2).join(' ')
if (words !== '') {
  logger.fatal(`${words}: migrate.js has no options; see herald migrate --help`)
  process.exit(1)
}
const store = createStore({ uri, database, applicationName: 'herald-migrate', retentionDays: others.RETENTION_DAYS })
try {
  await store.migrate()
  logger.info({ database }, 'Collections and indexes are ready')
} catch (error) {
  logger.fatal({ err: error }, 'Could not migrate')
  process.exitCode = 1
} finally {
  await store.close()
}
