import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { createKafka, toKafkaOptions } from '@herald/kafka'
import { createLogger, systemClock, unsupportedNode } from '@herald/runtime'
import { createStore } from '@herald/store'
import { exitCodes } from './command-line/command.ts'
import { runCommandLine } from './command-line/run-command-line.ts'
import { createPrinter } from './command-line/terminal.ts'
import { commands } from './commands.ts'

// The command for operators. Results go to stdout, everything else to stderr.
const note = createPrinter(process.stderr)

// A reader such as `head` that ends early ends the command.
process.stdout.on('error', () => process.exit(exitCodes.done))

const unsupported = unsupportedNode()
if (unsupported) {
  note(unsupported)
  process.exitCode = exitCodes.usage
} else {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const open: (() => Promise<void>)[] = []
  process.exitCode = await runCommandLine(process.argv.slice(2), commands, {
    environment: process.env,
    print: createPrinter(process.stdout),
    note,
    clock: systemClock,
    pause,
    version,
    openStore({ MONGODB_URI: uri, MONGODB_DATABASE: database, RETENTION_DAYS: retentionDays }) {
      const store = createStore({ uri, database, retentionDays, applicationName: 'herald' })
      open.push(() => store.close())
      return store
    },
    openKafka: (settings) =>
      createKafka(toKafkaOptions(settings, 'herald-ingest'), createLogger({ name: 'herald', level: 'silent' })),
    release: (close) => void open.push(close),
  })
  for (const close of open.toReversed()) await close().catch(() => {})
}
