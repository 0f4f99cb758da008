import { parseArgs } from 'node:util'

export type CommandLine = {
  isShort: boolean
  isHelp: boolean
  /** The file to write the figures to. */
  json: string | undefined
  /** The names of parts; empty means all. */
  names: string[]
}

export const usage = `npm run test:faults -- [--short] [--json FILE] [part …]

Injects faults into a running ingest while an oracle watches. Runs every part when none is named.
  --short      few faults of each kind
  --json FILE  writes the figures to FILE`

export function readCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { short: { type: 'boolean' }, json: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  return {
    isShort: values.short === true,
    isHelp: values.help === true,
    json: values.json,
    names: positionals,
  }
}
