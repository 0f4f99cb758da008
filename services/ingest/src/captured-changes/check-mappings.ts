import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { IncomingRecord } from '../events/incoming-record.ts'
import { type CapturedChanges, createCapturedChanges } from './captured-changes.ts'
import { readMappingFile } from './mapping-file.ts'

const usage = `Checks a file of mappings for CDC_MAPPINGS, and shows what becomes of sample records.

  check-mappings FILE [--sample RECORDS]

RECORDS is a file with one JSON object per line: topic, key, value and optionally headers of a record. Key and value are
the texts of the record; an object is also accepted, but loses digits of integers beyond 2^53.`

export type CheckOutput = {
  readonly print: (line: string) => void
  /** Prints issues and counts, which are not part of the result. */
  readonly note: (line: string) => void
}

/** @returns the exit code: 1 if the file has issues or a sample would become a dead letter, 2 for a wrong command line */
export function checkMappings(words: readonly string[], now: Date, { print, note }: CheckOutput): number {
  const command = parseCommand(words)
  if (typeof command === 'string') {
    note(`${command}\n\n${usage}`)
    return 2
  }
  const { file, sample } = command
  const read = readMappingFile(file)
  if (!read.ok) {
    for (const issue of read.issues) note(issue)
    return 1
  }
  note(`${file}: ${read.mappings.size} topics`)
  if (sample === undefined) return 0
  try {
    return showSample(readFileSync(sample, 'utf8'), { captured: createCapturedChanges(read.mappings), now, print })
  } catch (error) {
    note(`${sample}: ${error instanceof Error ? error.message : error}`)
    return 2
  }
}

function parseCommand(words: readonly string[]): { file: string; sample: string | undefined } | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { sample: { type: 'string' }, help: { type: 'boolean', default: false } },
    })
    const [file, ...others] = positionals
    if (values.help || file === undefined || others.length > 0) return 'Exactly one FILE is required'
    return { file, sample: values.sample }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

type SampleCheck = { readonly captured: CapturedChanges; readonly now: Date; readonly print: (line: string) => void }

function showSample(text: string, { captured, now, print }: SampleCheck): number {
  let exitCode = 0
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const record = toRecord(line, index)
    const place = { line: index + 1, topic: record.topic }
    if (!captured.topics.includes(record.topic)) {
      print(JSON.stringify({ ...place, outcome: 'not mapped' }))
      continue
    }
    const { traceparent: _, ...decision } = captured.decide(record, { now })
    if (decision.kind === 'dead-letter') exitCode = 1
    if (decision.kind === 'change-entries') {
      for (const entry of decision.entries) print(JSON.stringify({ ...place, outcome: 'entry', entry: toJson(entry) }))
    } else {
      const { kind: outcome, ...details } = decision
      print(JSON.stringify({ ...place, outcome, ...details }))
    }
  }
  return exitCode
}

/** The entry with its states as JSON, as `GET /change-entries` has them. */
function toJson<T extends { beforeState: string; afterState: string }>(entry: T) {
  return { ...entry, beforeState: JSON.parse(entry.beforeState), afterState: JSON.parse(entry.afterState) }
}

const headerSchema = z.union([z.array(z.tuple([z.string(), z.string().nullable()])), z.record(z.string(), z.string())])
const sampleSchema = z.object({
  topic: z.string(),
  key: z.json().optional(),
  value: z.json(),
  headers: headerSchema.default([]),
})

function toRecord(line: string, index: number): IncomingRecord {
  const { topic, key = null, value, headers } = parseSample(line, index)
  const toBytes = (part: unknown) => {
    if (part === null) return null
    return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part))
  }
  return {
    ...{ topic, partition: 0, offset: String(index), timestamp: '0', key: toBytes(key), value: toBytes(value) },
    headers: Array.isArray(headers) ? Object.fromEntries(headers) : headers,
  }
}

function parseSample(line: string, index: number): z.output<typeof sampleSchema> {
  try {
    return sampleSchema.parse(JSON.parse(line))
  } catch (error) {
    throw new Error(`Line ${index + 1} is not a record with topic, key and value`, { cause: error })
  }
}
