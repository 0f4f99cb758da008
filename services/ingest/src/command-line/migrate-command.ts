import { z } from 'zod'
import { migrateSettingsSchema } from '../config.ts'
import { defineCommand, exitCodes } from './command.ts'
import { flag } from './option.ts'
import { from, readSettings } from './read-settings.ts'

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'Creates collections and indexes; can be repeated and run concurrently',
  options: z.object({ 'dry-run': flag('Only print the steps; exit code 1 if one would fail') }),
  async run({ 'dry-run': isDryRun }, { environment, openStore, print, note }) {
    const settings = readSettings(migrateSettingsSchema, { environment })
    const { MONGODB_URI: uri, MONGODB_DATABASE: database, RETENTION_DAYS: retentionDays } = settings
    const store = openStore({ uri, database, retentionDays })
    const steps = await from('MongoDB', store.planMigration())
    for (const { step } of steps) print(step)
    if (steps.length === 0) note(`${database}: nothing to do`)
    if (isDryRun) return steps.some(({ isBlocked }) => isBlocked) ? exitCodes.failed : exitCodes.done
    await store.migrate()
    note(`${database}: collections and indexes are ready`)
    return exitCodes.done
  },
})
