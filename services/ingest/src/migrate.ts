import process from 'node:process'
import { createLogger, loadSettings, unsupportedNode } from '@herald/runtime'
import { createStore } from '@herald/store'
import { migrateSettingsSchema } from './settings/config.ts'

// Creates collections and indexes. Run it before a roll-out; it can be repeated and run concurrently.
const logger = createLogger({ name: 'herald-migrate', level: 'info' })
const loaded = loadSettings(migrateSettingsSchema, process.env)
const faults = [
  unsupportedNode() ?? [],
  process.argv.slice(2).map((word) => `${word}: migrate.js has no options; see herald migrate --help`),
  loaded.ok ? [] : loaded.issues.map(({ name, detail }) => `${name}: ${detail}`),
].flat()
for (const fault of faults) logger.fatal(fault)
if (!loaded.ok || faults.length > 0) process.exit(1)
const { MONGODB_URI: uri, MONGODB_DATABASE: database, RETENTION_DAYS: retentionDays } = loaded.settings
const store = createStore({ uri, database, applicationName: 'herald-migrate', retentionDays })
try {
  await store.migrate()
  logger.info({ database }, 'Collections and indexes are ready')
} catch (error) {
  logger.fatal({ err: error }, 'Could not migrate')
  process.exitCode = 1
} finally {
  await store.close()
}
