import { integerSetting } from '@herald/runtime'
import { z } from 'zod'
import { migrateSettingsSchema } from '#ingest/settings/config'
import { CommandFailure, defineCommand, exitCodes, from } from '../command-line/command.ts'
import { textValue } from '../command-line/option.ts'

const checkpointsPerDay = 1_440

export const logOriginsCommand = defineCommand({
  name: 'log origins',
  summary: 'Prints the list of change logs that witnesses take',
  settings: migrateSettingsSchema,
  options: z.object({
    qpd: integerSetting({ min: 1, max: 1_000_000 })
      .default(checkpointsPerDay)
      .meta({
        value: 'NUMBER',
        description: `Requests a day and log, ${checkpointsPerDay} by default: 86,400 / SEAL_INTERVAL_SECONDS`,
      }),
    contact: textValue
      .regex(/^[^\p{Cc}]+$/u, { error: 'Must be one line' })
      .optional()
      .meta({ value: 'TEXT', description: 'Who answers for the logs, as an address' }),
  }),
  notes: [
    'Each subscriber has a log, and each log is an origin. The list has the form logs/v0 of the witness network, which',
    'witnessctl pull-logs of litewitness and the witness of transparency-dev read. Print it again when subscribers are new.',
  ],
  async run({ qpd, contact }, { settings, openStore, print }) {
    const origins = await from('MongoDB', openStore(settings).listLogOrigins())
    if (origins === undefined) throw new CommandFailure('No sealer with a key has run')
    print('logs/v0')
    for (let next = origins.next(); ; next = origins.next()) {
      const { done, value } = await from('MongoDB', next)
      if (done) return exitCodes.done
      for (const line of ['', `vkey ${value}`, `qpd ${qpd}`]) print(line)
      if (contact !== undefined) print(`contact ${contact}`)
    }
  },
})
