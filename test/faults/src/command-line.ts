import { resolve } from 'node:path'
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
  --short      few faults of each kind, without the longest parts and those that a test of a package proves
  --json FILE  writes the figures to FILE`

/** @param folder what paths are relative to: npm runs the suite in the folder of its package */
export function readCommandLine(args: readonly string[], folder = '.'): CommandLine {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { short: { type: 'boolean' }, json: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  return {
    isShort: values.short === true,
    isHelp: values.help === true,
    json: values.json === undefined ? undefined : resolve(folder, values.json),
    names: positionals,
  }
}
