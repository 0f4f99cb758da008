import { z } from 'zod'
import { migrateSettingsSchema } from '#ingest/settings/config'
import { defineCommand, exitCodes, from } from './command-line/command.ts'
import { flag } from './command-line/option.ts'

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'Creates collections and indexes; can be repeated and run concurrently',
  settings: migrateSettingsSchema,
  options: z.object({ 'dry-run': flag('Only print what it would change; exit code 1 if it would fail') }),
  async run({ 'dry-run': isDryRun }, { settings, openStore, print, note }) {
    const database = settings.MONGODB_DATABASE
    const store = openStore(settings)
    const { missing, retention, blocking } = await from('MongoDB', store.planMigration())
    const differences = [...missing, ...retention]
    for (const difference of differences) print(difference)
    if (differences.length === 0) note(`${database}: nothing to do`)
    if (isDryRun) return blocking.length > 0 ? exitCodes.failed : exitCodes.done
    await store.migrate()
    note(`${database}: collections and indexes are ready`)
    return exitCodes.done
  },
})
