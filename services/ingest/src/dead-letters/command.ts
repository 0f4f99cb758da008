import { parseArgs } from 'node:util'
import { faultCodes } from '@herald/contracts'
import type { Selection } from './selection.ts'

/** What the command line asks for. */
export type Command =
  | { readonly kind: 'list'; readonly json: boolean; readonly selection: Selection }
  | { readonly kind: 'show'; readonly origin: string }
  | { readonly kind: 'replay'; readonly dryRun: boolean; readonly selection: Selection }
  | { readonly kind: 'help' }

export const usage = `Works with the records that could not be stored.

  dead-letters list [--code CODE] [--origin ORIGIN] [--json]
  dead-letters show ORIGIN
  dead-letters replay [--code CODE] [--origin ORIGIN] [--dry-run]

ORIGIN is topic/partition/offset, as the list shows it; list and replay take topic and topic/partition, too.
CODE is one of ${Object.keys(faultCodes).join(', ')}.
The brokers come from the environment: KAFKA_BROKERS, and the other KAFKA_ variables of ingest.`

/** @throws Error that says what is wrong with the command line */
export function parseCommand(words: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      code: { type: 'string' },
      origin: { type: 'string' },
      json: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [kind, origin, ...more] = positionals
  if (values.help || kind === undefined) return { kind: 'help' }
  const { code } = values
  if (code !== undefined && !Object.hasOwn(faultCodes, code)) throw new Error(`There is no code ${code}`)
  if (kind === 'show') {
    if (origin === undefined || more.length > 0) throw new Error('show takes one ORIGIN')
    return { kind, origin }
  }
  if (origin !== undefined) throw new Error(`${kind} takes no ${origin}; an origin follows --origin`)
  const selection = { code, origin: values.origin }
  if (kind === 'list') return { kind, json: values.json, selection }
  if (kind === 'replay') return { kind, dryRun: values['dry-run'], selection }
  throw new Error(`There is no command ${kind}`)
}
