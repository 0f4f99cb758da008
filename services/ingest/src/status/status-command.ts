import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { defineCommand, exitCodes } from '../command-line/command.ts'
import { flag, option, wholeNumber } from '../command-line/option.ts'
import { readSettings, topicsReadBy } from '../command-line/read-settings.ts'
import { commandSettingsSchema } from '../config.ts'
import { createStatusReader } from './read-status.ts'
import { problemsOf, showStatus } from './show-status.ts'

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Shows brokers, topics, lag and rate of each partition, and the state of MongoDB',
  options: z.object({
    watch: flag('Show it again until interrupted'),
    interval: option(wholeNumber(1, 3_600).default(2), {
      value: 'SECONDS',
      description: 'Time over which rates are measured, 2 by default',
    }),
    json: flag('Print one JSON object, with --watch one per line'),
  }),
  notes: [
    'Exit code 1 if something is unavailable, missing or different from what it should be; the lines begin with a !.',
  ],
  async run({ watch, interval, json }, context) {
    const { print, clear, style, untilInterrupted, clock, build } = context
    const settings = readSettings(commandSettingsSchema, context)
    const { MONGODB_URI: uri, MONGODB_DATABASE: database, RETENTION_DAYS: retentionDays } = settings
    const reader = createStatusReader({
      kafka: context.openKafka(settings),
      store: context.openStore({ uri, database, retentionDays }),
      groupId: settings.KAFKA_GROUP_ID,
      topics: topicsReadBy(settings),
      deadLetterTopic: settings.KAFKA_DEAD_LETTER_TOPIC,
      ...{ clock, build },
    })
    context.release(() => reader.close())
    const signal = watch ? untilInterrupted() : new AbortController().signal
    const pause = () => sleep(interval * 1_000, undefined, { signal }).catch(() => {})
    // Rates need two looks.
    await reader.read()
    for (;;) {
      await pause()
      const status = await reader.read()
      const isHealthy = problemsOf(status).length === 0
      if (watch && !json) clear()
      if (json) print(JSON.stringify({ ...status, problems: problemsOf(status) }))
      else for (const line of showStatus(status, style)) print(line)
      if (!watch || signal.aborted) return isHealthy ? exitCodes.done : exitCodes.failed
    }
  },
})
