import { setTimeout as sleep } from 'node:timers/promises'
import { integerSetting } from '@herald/runtime'
import { z } from 'zod'
import { commandSettingsSchema } from '#ingest/config'
import { defineCommand, exitCodes } from '../command-line/command.ts'
import { flag, option } from '../command-line/option.ts'
import { createStatusReader } from './read-status.ts'
import { problemsOf, showStatus } from './show-status.ts'

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Shows brokers, topics, lag and rate of each partition, and the state of MongoDB',
  settings: commandSettingsSchema,
  options: z.object({
    watch: flag('Show it again until interrupted'),
    interval: option(integerSetting({ min: 1, max: 3_600 }).default(2), {
      value: 'SECONDS',
      description: 'Time over which rates are measured, 2 by default',
    }),
    json: flag('Print one JSON object, with --watch one per line'),
  }),
  notes: [
    'Exit code 1 if something is unavailable, missing or different from what it should be; the lines begin with a !.',
  ],
  async run({ watch, interval, json }, context) {
    const { settings, print, clear, untilInterrupted, clock, version, environment } = context
    const read = createStatusReader({
      kafka: context.openKafka(settings),
      store: context.openStore(settings),
      settings,
      clock,
    })
    const signal = watch ? untilInterrupted() : undefined
    // Rates need two looks.
    await read()
    for (;;) {
      await sleep(interval * 1_000, undefined, { signal }).catch(() => {})
      const status = { version, revision: environment.HERALD_REVISION, ...(await read()) }
      const problems = problemsOf(status)
      if (json) print(JSON.stringify({ ...status, problems }))
      else {
        if (watch) clear()
        for (const line of showStatus(status)) print(line)
      }
      if (!signal || signal.aborted) return problems.length === 0 ? exitCodes.done : exitCodes.failed
    }
  },
})
