import { type DeadLetterReason, deadLetterReasons } from '@herald/contracts'
import { z } from 'zod'
import { deadLetterSettingsSchema } from '../config.ts'
import type { RecordProducer } from '../consume/kafka-port.ts'
import type { Command as DeadLetterCommand } from '../dead-letters/command.ts'
import { toFoundDeadLetter } from '../dead-letters/found-dead-letter.ts'
import { runCommand } from '../dead-letters/run-command.ts'
import { type CommandContext, defineCommand } from './command.ts'
import { choice, flag, option, textValue, timeValue } from './option.ts'
import { from, readSettings } from './read-settings.ts'

const codes = Object.keys(deadLetterReasons) as [DeadLetterReason, ...DeadLetterReason[]]

const selection = {
  code: option(choice(codes).optional(), { value: 'CODE', description: 'Only letters with this code', choices: codes }),
  origin: option(textValue.optional(), {
    value: 'ORIGIN',
    description: 'Only records of this topic, topic/partition or topic/partition/offset',
  }),
  since: option(timeValue.optional(), { value: 'TIME', description: 'Only letters published from this time on' }),
}

export const deadLetterCommands = [
  defineCommand({
    name: 'dead-letters list',
    summary: 'Lists records that could not be stored',
    options: z.object({ ...selection, json: flag('Print one JSON object per line') }),
    run: ({ code, origin, since, json }, context) =>
      run({ kind: 'list', json, selection: { code, origin } }, since, context),
  }),
  defineCommand({
    name: 'dead-letters show',
    summary: 'Prints a whole record that could not be stored; it may contain personal data',
    argument: { value: 'ORIGIN', description: 'topic/partition/offset, as the list shows it' },
    options: z.object({ argument: textValue }),
    run: ({ argument: origin }, context) => run({ kind: 'show', origin }, undefined, context),
  }),
  defineCommand({
    name: 'dead-letters replay',
    summary: 'Sends records that could not be stored back to their topics; repeating it is harmless',
    options: z.object({ ...selection, 'dry-run': flag('Only count them') }),
    run: ({ code, origin, since, 'dry-run': dryRun }, context) =>
      run({ kind: 'replay', dryRun, selection: { code, origin } }, since, context),
  }),
]

function run(command: DeadLetterCommand, since: number | undefined, context: CommandContext): Promise<number> {
  const settings = readSettings(deadLetterSettingsSchema, context)
  const kafka = context.openKafka(settings)
  const start = since === undefined ? undefined : { since: new Date(since) }
  let producer: Promise<RecordProducer> | undefined
  context.release(async () => (await producer?.catch(() => undefined))?.close())
  return runCommand(command, {
    ...context,
    read: (each) =>
      from(
        'Kafka',
        kafka.readToEnd(settings.KAFKA_DEAD_LETTER_TOPIC, (record) => each(toFoundDeadLetter(record)), start),
      ),
    async send(topic, partition, records) {
      producer ??= kafka.connectProducer()
      await (await producer).send(records, { topic, partition })
    },
  })
}
