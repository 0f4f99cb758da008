import { parseArgs } from 'node:util'

export interface CommandLine {
  isShort: boolean
  isHelp: boolean
  /** The file for the figures. */
  json: string | undefined
  /** The names of parts; all when there are none. */
  names: string[]
}

export const usage = `npm run test:faults -- [--short] [--json FILE] [part …]

Strikes Herald's ingest with faults while an oracle watches. Without names every part is run.
  --short      few strikes of each kind
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
