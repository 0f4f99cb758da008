import process from 'node:process'
import { createLogger, loadSettings, systemClock, unsupportedNode } from '@herald/runtime'
import { createStore } from '@herald/store'
import { migrateSettingsSchema } from './config.ts'
import { rewriteNotifications, writeFanOuts } from './stepped-migrations.ts'
import { workOffMigration } from './work-off-migration.ts'

// Creates collections and indexes. Run it before a roll-out; it can be repeated and run concurrently. With an option it
// migrates what earlier releases stored instead: `--fan-outs` writes missing fan-outs, `--rewrite-notifications` copies the
// notifications into blocks of the current size. Run these after a roll-out.
const options = process.argv.slice(2)
const migrations = { '--fan-outs': writeFanOuts, '--rewrite-notifications': rewriteNotifications } as const
const isKnown = (option: string): option is keyof typeof migrations => Object.hasOwn(migrations, option)
const [option] = options
const logger = createLogger({ name: 'herald-migrate', level: 'info' })
const unsupported = unsupportedNode()
if (unsupported) {
  logger.fatal(unsupported)
  process.exit(1)
}
if (options.length > 1 || (option !== undefined && !isKnown(option))) {
  logger.fatal({ options }, `Unknown option; only one of ${Object.keys(migrations).join(' and ')} is allowed`)
  process.exit(1)
}
const loaded = loadSettings(migrateSettingsSchema, process.env)
if (loaded.ok) {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database, RETENTION_DAYS: retentionDays } = loaded.settings
  const store = createStore({ uri, database, applicationName: 'herald-migrate', retentionDays })
  try {
    if (option) await workOffMigration<string>(migrations[option](store), { ...store, logger, clock: systemClock })
    else {
      await store.migrate()
      logger.info({ database }, 'Collections and indexes are ready')
    }
  } catch (error) {
    logger.fatal({ err: error }, 'Could not migrate')
    process.exitCode = 1
  } finally {
    await store.close()
  }
} else {
  for (const { name, detail } of loaded.issues) logger.fatal({ setting: name }, `${name}: ${detail}`)
  process.exitCode = 1
}
