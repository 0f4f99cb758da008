import process from 'node:process'
import { systemClock, unsupportedNode } from '@herald/runtime'
import { checkMappings } from './captured-changes/check-mappings.ts'

// The command that checks a mapping file. Results go to stdout, everything else to stderr.
const print = (line: string) => void process.stdout.write(`${line}\n`)
const note = (line: string) => void process.stderr.write(`${line}\n`)

const unsupported = unsupportedNode()
if (unsupported) {
  note(unsupported)
  process.exitCode = 2
} else {
  process.exitCode = checkMappings(process.argv.slice(2), systemClock(), { print, note })
}
