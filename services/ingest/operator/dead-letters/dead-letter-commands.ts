import { type DeadLetterReason, deadLetterReasons, decodeUtf8 } from '@herald/contracts'
import type { RecordProducer } from '@herald/kafka'
import { z } from 'zod'
import { type KafkaSettings, kafkaSettingsSchema, topicsReadBy } from '#ingest/settings/config'
import { type CommandContext, defineCommand, exitCodes, from } from '../command-line/command.ts'
import { choice, flag, textValue, timeValue } from '../command-line/option.ts'
import { type FoundDeadLetter, originOf, toFoundDeadLetter } from './found-dead-letter.ts'
import { createReplay, type SendRecords } from './replay.ts'

const codes = Object.keys(deadLetterReasons) as [DeadLetterReason, ...DeadLetterReason[]]

const selectionOptions = {
  code: choice(codes).optional().meta({ value: 'CODE', description: 'Only letters with this code' }),
  origin: textValue.optional().meta({
    value: 'ORIGIN',
    description: 'Only records of this topic, topic/partition or topic/partition/offset',
  }),
  since: timeValue.optional().meta({ value: 'TIME', description: 'Only letters published from this time on' }),
}

type Selection = Partial<z.output<z.ZodObject<typeof selectionOptions>>>

export const deadLetterCommands = [
  defineCommand({
    name: 'dead-letters list',
    summary: 'Lists records that could not be stored',
    settings: kafkaSettingsSchema,
    options: z.object({ ...selectionOptions, json: flag('Print one JSON object per line') }),
    async run({ json, ...selection }, context) {
      const count = await open(context).read(selection, async (letter) => {
        context.print(json ? toJsonLine(letter) : toTableLine(letter))
      })
      if (!json) context.note(`${count} dead letters`)
      return exitCodes.done
    },
  }),
  defineCommand({
    name: 'dead-letters show',
    summary: 'Prints a whole record that could not be stored; it may contain personal data',
    argument: { value: 'ORIGIN', description: 'topic/partition/offset, as the list shows it' },
    settings: kafkaSettingsSchema,
    options: z.object({ argument: textValue }),
    async run({ argument: origin }, context) {
      let count = 0
      await open(context).read({ origin }, async (letter) => {
        if (originOf(letter) !== origin) return
        count++
        for (const line of showDeadLetter(letter)) context.print(line)
      })
      if (count > 0) return exitCodes.done
      context.note(`No dead letter with origin ${origin}`)
      return exitCodes.failed
    },
  }),
  defineCommand({
    name: 'dead-letters replay',
    summary: 'Sends records that could not be stored back to their topics; repeating it is harmless',
    settings: kafkaSettingsSchema,
    options: z.object({ ...selectionOptions, 'dry-run': flag('Only count them') }),
    notes: ['Only to topics that ingest reads, and to that of erasures (KAFKA_PRIVACY_TOPIC) only with its --origin.'],
    async run({ 'dry-run': isDryRun, ...selection }, context) {
      const { settings } = context
      const { read, send } = open(context)
      const verb = isDryRun ? 'would be sent back' : 'sent back'
      const isNamed = (topic: string) => selection.origin?.split('/')[0] === topic
      const topics = [...topicsReadBy(settings)].flatMap(([topic, kind]) =>
        kind !== 'privacy' || isNamed(topic) ? [topic] : [],
      )
      const { add, finish } = createReplay({
        topics,
        send: isDryRun ? async () => {} : send,
        onProgress: (sent) => context.note(`${sent} ${verb} …`),
      })
      await read(selection, add)
      const { sent, repeated, omitted, elsewhere } = await finish()
      context.note(`${sent} ${verb}, ${repeated} skipped as duplicates, ${omitted} skipped because a part is missing`)
      for (const [topic, count] of elsewhere) {
        const isPrivacy = topic === settings.KAFKA_PRIVACY_TOPIC
        const reason = isPrivacy ? `repeats erasures: use --origin ${topic}` : 'is no topic that ingest reads'
        context.note(`${count} skipped because ${topic} ${reason}`)
      }
      return exitCodes.done
    },
  }),
]

function open({ settings, openKafka, release }: CommandContext & { readonly settings: KafkaSettings }) {
  const kafka = openKafka(settings)
  let producer: Promise<RecordProducer> | undefined
  release(async () => (await producer?.catch(() => undefined))?.close())
  const send: SendRecords = async (topic, partition, records) => {
    producer ??= kafka.connectProducer()
    await (await producer).send(records, { topic, partition })
  }
  /** Passes on the selected letters. @returns how many */
  async function read({ code, origin, since }: Selection, each: (letter: FoundDeadLetter) => Promise<void>) {
    let count = 0
    const readEach = async (record: Parameters<typeof toFoundDeadLetter>[0]) => {
      const letter = toFoundDeadLetter(record)
      if (code !== undefined && letter.code !== code) return
      if (origin !== undefined && !`${originOf(letter)}/`.startsWith(`${origin}/`)) return
      count++
      await each(letter)
    }
    const start = since === undefined ? undefined : { since: new Date(since) }
    await from('Kafka', kafka.readToEnd(settings.KAFKA_DEAD_LETTER_TOPIC, readEach, start))
    return count
  }
  return { read, send }
}

/** Formats one line of the list. Values and headers may be private: only {@link showDeadLetter} prints them. */
function toTableLine(letter: FoundDeadLetter): string {
  return `${letter.time.toISOString()}  ${originOf(letter).padEnd(32)}  ${letter.code.padEnd(18)}  ${oneLine(letter.detail)}`
}

function toJsonLine(letter: FoundDeadLetter): string {
  const { time, code, detail, topic, partition, offset } = letter
  return JSON.stringify({ time, origin: originOf(letter), topic, partition, offset, code, detail })
}

/** The lines of a whole dead letter; bytes that are not UTF-8 are shown as base64. */
function showDeadLetter(letter: FoundDeadLetter): string[] {
  const { key, value, headers } = letter.original
  return [
    `origin  ${originOf(letter)}`,
    `time    ${letter.time.toISOString()}`,
    `code    ${letter.code}`,
    `detail  ${letter.detail}`,
    ...letter.omitted.map((part) => `omitted ${part}`),
    `key     ${toText(key)}`,
    ...Object.entries(headers).flatMap(([name, header]) =>
      [header].flat().map((one) => `header  ${name}: ${toText(Buffer.from(one))}`),
    ),
    `value   ${toText(value)}`,
  ]
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ')

function toText(bytes: Buffer | null): string {
  if (bytes === null) return '(none)'
  return decodeUtf8(bytes) ?? `base64:${bytes.toString('base64')}`
}
