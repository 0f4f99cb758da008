import { parseArgs } from 'node:util'
import { deadLetterReasons } from '@herald/contracts'
import type { Selection } from './selection.ts'

/** A parsed command line. */
export type Command =
  | { readonly kind: 'list'; readonly json: boolean; readonly selection: Selection }
  | { readonly kind: 'show'; readonly origin: string }
  | { readonly kind: 'replay'; readonly dryRun: boolean; readonly selection: Selection }
  | { readonly kind: 'help' }

export const usage = `Lists, shows and replays records that could not be stored.

  dead-letters list [--code CODE] [--origin ORIGIN] [--json]
  dead-letters show ORIGIN
  dead-letters replay [--code CODE] [--origin ORIGIN] [--dry-run]

ORIGIN is topic/partition/offset, as the list shows it; list and replay also accept topic and topic/partition.
CODE is one of ${Object.keys(deadLetterReasons).join(', ')}.
The brokers come from the environment: KAFKA_BROKERS, and the other KAFKA_ variables of ingest.`

/** @throws Error when the command line is invalid; the message is the reason */
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
  if (code !== undefined && !Object.hasOwn(deadLetterReasons, code)) throw new Error(`Unknown code ${code}`)
  if (kind === 'show') {
    if (origin === undefined || more.length > 0) throw new Error('show requires exactly one ORIGIN')
    return { kind, origin }
  }
  if (origin !== undefined) throw new Error(`Unexpected argument ${origin}; use --origin ${origin}`)
  const selection = { code, origin: values.origin }
  if (kind === 'list') return { kind, json: values.json, selection }
  if (kind === 'replay') return { kind, dryRun: values['dry-run'], selection }
  throw new Error(`Unknown command ${kind}`)
}
