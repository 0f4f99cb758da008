import { readFileSync } from 'node:fs'
import process from 'node:process'
import { systemClock, unsupportedNode } from '@herald/runtime'
import { exitCodes } from './command-line/command.ts'
import { commands } from './command-line/commands.ts'
import { createConnections } from './command-line/connections.ts'
import { runCommandLine } from './command-line/run-command-line.ts'
import { createStyle } from './command-line/style.ts'

// The command for operators. Results go to stdout, everything else to stderr.
const print = (line: string) => void process.stdout.write(`${line}\n`)
const note = (line: string) => void process.stderr.write(`${line}\n`)

// kafkajs sets timeouts in the past, of which Node.js warns.
process.removeAllListeners('warning')
// A reader such as `head` that ends early ends the command.
process.stdout.on('error', () => process.exit(exitCodes.done))

const unsupported = unsupportedNode()
if (unsupported) {
  note(unsupported)
  process.exitCode = exitCodes.usage
} else {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const { HERALD_REVISION: revision } = process.env
  const { close, ...connections } = createConnections()
  process.exitCode = await runCommandLine(process.argv.slice(2), commands, {
    ...connections,
    ...{ print, note, environment: process.env, clock: systemClock },
    untilInterrupted() {
      const interrupted = new AbortController()
      process.once('SIGINT', () => interrupted.abort())
      return interrupted.signal
    },
    clear: () => void (process.stdout.isTTY && process.stdout.write('\x1b[2J\x1b[H')),
    style: createStyle(process.stdout),
    build: { version, ...(revision ? { revision } : {}) },
  })
  await close()
}
