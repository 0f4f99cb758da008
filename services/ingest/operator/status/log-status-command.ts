import { uuidSchema } from '@herald/contracts'
import { integerSetting } from '@herald/runtime'
import { z } from 'zod'
import { migrateSettingsSchema } from '#ingest/settings/config'
import { defineCommand, exitCodes, from } from '../command-line/command.ts'
import { flag } from '../command-line/option.ts'
import { showLogStatus } from './show-log-status.ts'

const shownByDefault = 20
const shownAtMost = 1_000

export const logStatusCommand = defineCommand({
  name: 'log status',
  summary: 'Shows how far change logs are recorded and sealed, and which are stopped',
  settings: migrateSettingsSchema,
  options: z.object({
    subscriber: uuidSchema.optional().meta({
      value: 'UUID',
      description: 'The log of this subscriber only, with the public keys under its name',
    }),
    limit: integerSetting({ min: 1, max: shownAtMost })
      .default(shownByDefault)
      .meta({
        value: 'NUMBER',
        description: `How many logs, ${shownByDefault} by default`,
      }),
    json: flag('Print one JSON object'),
  }),
  notes: [
    'Shows logs that are stopped, then those that grew last: the logs in the newest 1,000 pages of the recorded order.',
    'Exit code 1 if a log is stopped (with --subscriber, if this one is), or MongoDB is unavailable.',
  ],
  async run({ subscriber: subscriberId, limit, json }, { settings, openStore, print, clock, version }) {
    const found = await from('MongoDB', openStore(settings).readLogStatus({ subscriberId, limit }))
    const stopped = subscriberId === undefined ? found.stopped : found.logs.filter(({ conflict }) => conflict).length
    const status = { version, time: clock(), ...found, stopped }
    if (json) print(JSON.stringify(status))
    else for (const line of showLogStatus(status, { isOne: subscriberId !== undefined })) print(line)
    return stopped === 0 ? exitCodes.done : exitCodes.failed
  },
})
