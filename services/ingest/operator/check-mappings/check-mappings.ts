import { readFileSync } from 'node:fs'
import type { IncomingRecord } from '@herald/kafka'
import { z } from 'zod'
import { type CapturedChanges, createCapturedChanges } from '#ingest/captured-changes/captured-changes'
import { readMappingFile } from '#ingest/captured-changes/map/mapping-file'
import { replacedNullsAdvice } from '#ingest/captured-changes/replaced-nulls'
import { type CommandContext, CommandFailure, defineCommand, exitCodes } from '../command-line/command.ts'
import { textValue } from '../command-line/option.ts'

export const checkMappingsCommand = defineCommand({
  name: 'check-mappings',
  summary: 'Checks a file for CDC_MAPPINGS, and prints the entries that sample records would make',
  argument: { value: 'FILE', description: 'The YAML file of mappings' },
  options: z.object({
    argument: textValue,
    sample: textValue.optional().meta({
      value: 'RECORDS',
      description: 'A file with one JSON object per line: topic, key, value and optionally headers',
    }),
  }),
  notes: [
    'Key and value are the texts of the record; an object is also accepted, but loses digits of integers beyond 2^53.',
    'Exit code 1 if the file has issues or a sample would become a dead letter.',
  ],
  async run({ argument: file, sample }, { clock, print, note }) {
    const read = readMappingFile(file)
    if (!read.ok) throw new CommandFailure(read.issues)
    note(`${file}: ${read.mappings.size} topics`)
    if (sample === undefined) return exitCodes.done
    const captured = createCapturedChanges(read.mappings)
    try {
      const exitCode = showSample(readFileSync(sample, 'utf8'), { captured, now: clock(), print })
      for (const topic of captured.withReplacedNulls) note(`${topic}: ${replacedNullsAdvice}`)
      return exitCode
    } catch (error) {
      throw new CommandFailure(`${sample}: ${error instanceof Error ? error.message : error}`, exitCodes.usage)
    }
  },
})

type SampleCheck = Pick<CommandContext, 'print'> & { readonly captured: CapturedChanges; readonly now: Date }

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
      for (const entry of decision.documents)
        print(JSON.stringify({ ...place, outcome: 'entry', entry: toJson(entry) }))
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

const part = z
  .json()
  .transform((json) => (json === null ? null : Buffer.from(typeof json === 'string' ? json : JSON.stringify(json))))
const headerSchema = z.union([z.array(z.tuple([z.string(), z.string().nullable()])), z.record(z.string(), z.string())])
const sampleSchema = z.object({
  topic: z.string(),
  key: part.default(null),
  value: part,
  headers: headerSchema
    .default([])
    .transform((headers) => (Array.isArray(headers) ? Object.fromEntries(headers) : headers)),
})

function toRecord(line: string, index: number): IncomingRecord {
  try {
    return { ...sampleSchema.parse(JSON.parse(line)), partition: 0, offset: String(index), timestamp: '0' }
  } catch (error) {
    throw new Error(`Line ${index + 1} is not a record with topic, key and value`, { cause: error })
  }
}
