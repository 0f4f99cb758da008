import process from 'node:process'
import { createLogger, loadSettings, unsupportedNode } from '@herald/runtime'
import { deadLetterSettingsSchema } from './config.ts'
import type { RecordProducer } from './consume/kafka-port.ts'
import { type Command, parseCommand, usage } from './dead-letters/command.ts'
import { toFoundDeadLetter } from './dead-letters/found-dead-letter.ts'
import { runCommand } from './dead-letters/run-command.ts'
import { createKafka } from './kafka/create-kafka.ts'
import { toKafkaOptions } from './kafka/kafka-options.ts'

// The command that lists, shows and replays dead letters. Results go to stdout, everything else to stderr.
const note = (line: string) => void process.stderr.write(`${line}\n`)

function readCommand(): Command | undefined {
  try {
    return parseCommand(process.argv.slice(2))
  } catch (error) {
    note(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    return undefined
  }
}

async function run(command: Command): Promise<number> {
  const unsupported = unsupportedNode()
  if (unsupported) {
    note(unsupported)
    return 2
  }
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  const loaded = loadSettings(deadLetterSettingsSchema, process.env)
  if (command.kind !== 'help' && !loaded.ok) {
    for (const { name, detail } of loaded.issues) note(`${name}: ${detail}`)
    return 2
  }
  if (!loaded.ok) return runCommand(command, { print, note, read: async () => {}, send: async () => {} })
  const kafka = createKafka(toKafkaOptions(loaded.settings), createLogger({ name: 'dead-letters', level: 'silent' }))
  let producer: Promise<RecordProducer> | undefined
  try {
    return await runCommand(command, {
      print,
      note,
      read: (each) =>
        kafka.readToEnd(loaded.settings.KAFKA_DEAD_LETTER_TOPIC, (record) => each(toFoundDeadLetter(record))),
      async send(topic, partition, records) {
        producer ??= kafka.connectProducer()
        await (await producer).send(records, { topic, partition })
      },
    })
  } catch (error) {
    note(`Failed: ${error instanceof Error ? error.message : error}`)
    return 1
  } finally {
    await (await producer?.catch(() => undefined))?.close()
  }
}

const command = readCommand()
process.exitCode = command ? await run(command) : 2
