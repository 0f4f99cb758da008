import process from 'node:process'
import { createLogger, loadSettings, systemClock, unsupportedNode } from '@herald/runtime'
import { createStore } from '@herald/store'
import { migrateSettingsSchema } from './config.ts'
import { writeFanOuts } from './write-fan-outs.ts'

// Creates collections and indexes. Run it before a roll-out; it can be repeated and run concurrently. With `--fan-outs` it
// writes the fan-outs of what earlier releases stored instead. Run that after a roll-out.
const options = process.argv.slice(2)
const isForFanOuts = options.includes('--fan-outs')
const logger = createLogger({ name: 'herald-migrate', level: 'info' })
const unsupported = unsupportedNode()
if (unsupported) {
  logger.fatal(unsupported)
  process.exit(1)
}
const unknown = options.filter((option) => option !== '--fan-outs')
if (unknown.length > 0) {
  logger.fatal({ unknown }, 'Unknown option; only --fan-outs is allowed')
  process.exit(1)
}
const loaded = loadSettings(migrateSettingsSchema, process.env)
if (loaded.ok) {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database, RETENTION_DAYS: retentionDays } = loaded.settings
  const store = createStore({ uri, database, applicationName: 'herald-migrate', retentionDays })
  try {
    if (isForFanOuts) await writeFanOuts({ ...store, logger, clock: systemClock })
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
