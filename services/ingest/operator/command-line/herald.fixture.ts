import { execFile } from 'node:child_process'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createKafka, toKafkaOptions } from '@herald/kafka'
import { quietLogger } from '@herald/kafka/testing'
import { systemClock } from '@herald/runtime'
import { createStore } from '@herald/store'
import type { TestIngest } from '#ingest/ingest.fixture'
import { commands } from '../commands.ts'
import { runCommandLine } from './run-command-line.ts'
import { createPrinter } from './terminal.ts'

export type Finished = { readonly exitCode: number; readonly stdout: string; readonly stderr: string }

const file = fileURLToPath(new URL('../herald.mjs', import.meta.url))

/** Runs the built command in a process, as an operator does. */
export function runHerald(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<Finished> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [file, ...words],
      { env: { PATH: process.env.PATH, ...environment } },
      (error, stdout, stderr) => {
        resolve({ exitCode: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr })
      },
    )
  })
}

/** Runs the command in this process: a test that asks until something has happened would start dozens of processes. */
export async function runHere(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Finished> {
  const written = { stdout: '', stderr: '' }
  const printTo = (name: keyof typeof written) =>
    createPrinter(
      new Writable({
        write(text, _, done) {
          written[name] += text
          done()
        },
      }) as NodeJS.WriteStream,
    )
  const open: (() => Promise<void>)[] = []
  const exitCode = await runCommandLine(words, commands, {
    environment,
    print: printTo('stdout'),
    note: printTo('stderr'),
    clock: systemClock,
    pause: async () => {},
    version: '0.0.0',
    openStore({ MONGODB_URI: uri, MONGODB_DATABASE: database, RETENTION_DAYS: retentionDays }) {
      const store = createStore({ uri, database, retentionDays, applicationName: 'herald' })
      open.push(() => store.close())
      return store
    },
    openKafka: (settings) => createKafka(toKafkaOptions(settings, 'herald-ingest'), quietLogger),
    release: (close) => void open.push(close),
  })
  for (const close of open.toReversed()) await close()
  return { exitCode, ...written }
}

/** The settings of the command for the topics and the database of an ingest. */
export const commandEnvironment = ({ brokers, groupId, topics, database }: TestIngest): Record<string, string> => ({
  KAFKA_BROKERS: brokers.join(','),
  KAFKA_GROUP_ID: groupId,
  KAFKA_MENTION_TOPIC: topics.mention,
  KAFKA_CHANGE_TOPIC: topics.change,
  KAFKA_RECEIPT_TOPIC: topics.receipt,
  KAFKA_DEAD_LETTER_TOPIC: topics.deadLetter,
  MONGODB_URI: process.env.MONGODB_URI ?? '',
  MONGODB_DATABASE: database,
})
