import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Mapping } from '@herald/contracts'
import type { IncomingRecord } from '@herald/kafka'
import {
  type CapturedDecision,
  createDecideCapturedChange,
  type DecideCapturedChange,
} from './map/decide-captured-change.ts'
import { readMappingFile } from './map/mapping-file.ts'

const folder = new URL('samples/', import.meta.url)
const files = readdirSync(folder).filter((file) => file.endsWith('.ndjson'))

/** A record that a real connector wrote, and the statement that caused it. */
export type Sample = { readonly what: string; readonly record: IncomingRecord }

function readSamples(file: string): Sample[] {
  const lines = readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n')
  return lines.map((line, index) => {
    const { what, topic, key, value, headers } = JSON.parse(line)
    const bytes = (text: string | null) => (text === null ? null : Buffer.from(text))
    const record = { topic, partition: 0, offset: String(index), timestamp: '0', key: bytes(key), value: bytes(value) }
    return { what, record: { ...record, headers: Object.fromEntries(headers) } }
  })
}

/** The mappings of the samples of one database. */
function readSampleMappings(database: string): ReadonlyMap<string, Mapping> {
  const read = readMappingFile(fileURLToPath(new URL(`${database}.yaml`, folder)))
  if (!read.ok) throw new Error(read.issues.join('\n'))
  return read.mappings
}

const now = new Date('2026-12-01T00:00:00Z')

/** The decision about each sample of a file. */
export function decideSamples(file: string): (Sample & { readonly decision: CapturedDecision })[] {
  const mappings = readSampleMappings(file.split('-')[0] as string)
  const deciders = new Map([...mappings].map(([topic, mapping]) => [topic, createDecideCapturedChange(mapping)]))
  return readSamples(file).map(({ what, record }) => {
    // Records that belong on other topics are skipped wherever they are.
    const decide = (deciders.get(record.topic) ?? [...deciders.values()][0]) as DecideCapturedChange
    return { what, record, decision: decide(record, { now }) }
  })
}

/** The outcome of each sample, one line per entry. */
export function* goldenLines(): Generator<string> {
  for (const file of files) {
    yield `# ${file}`
    for (const { what, decision } of decideSamples(file)) {
      yield* describe(decision).map((line) => `${what} | ${line}`)
    }
  }
}

function describe(decision: CapturedDecision): string[] {
  if (decision.kind === 'skipped') return [`skipped: ${decision.reason}`]
  if (decision.kind === 'dead-letter') return [`${decision.code}: ${decision.detail}`]
  if (decision.kind === 'expired') return ['expired']
  return decision.documents.map((entry) => {
    const { id, entityType, entityId, entityTitle, actionType, changedField, beforeState, afterState } = entry
    const field = changedField && ` ${changedField}`
    return `${entityType} ${entityId} (${entityTitle}): ${actionType}${field} ${beforeState} → ${afterState} | ${id}`
  })
}

// `node src/captured-changes/golden.fixture.ts` writes the expected lines anew. Their ids must never change.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const line of goldenLines()) process.stdout.write(`${line}\n`)
}
