import { integerSetting } from '@herald/runtime'
import { z } from 'zod'
import { commandSettingsSchema } from '#ingest/settings/config'
import { defineCommand, exitCodes } from '../command-line/command.ts'
import { flag } from '../command-line/option.ts'
import { readStatus } from './read-status.ts'
import { problemsOf, showStatus } from './show-status.ts'

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Shows topics, lag and rate of each partition, and the state of MongoDB',
  settings: commandSettingsSchema,
  options: z.object({
    interval: integerSetting({ min: 1, max: 3_600 }).default(2).meta({
      value: 'SECONDS',
      description: 'Time over which rates are measured, 2 by default',
    }),
    json: flag('Print one JSON object'),
  }),
  notes: [
    'Exit code 1 if something is unavailable, missing or different from what it should be; the lines begin with a !.',
  ],
  async run({ interval, json }, context) {
    const { print, version, environment } = context
    const status = { version, revision: environment.HERALD_REVISION, ...(await readStatus(context, interval * 1_000)) }
    const problems = problemsOf(status)
    if (json) print(JSON.stringify({ ...status, problems }))
    else for (const line of showStatus(status)) print(line)
    return problems.length === 0 ? exitCodes.done : exitCodes.failed
  },
})
