import type { StoredChangeEntry } from '@herald/change-log'
import { expect, test } from '@jest/globals'
import { createRecordHandler, type RecordHandlerDependencies } from '../events/record-handler.ts'
import type { HandledRecord } from '../events/record-outcome.ts'
import type { DeadLetter } from '../produce/dead-letter.ts'
import { createCapturedChanges } from './captured-changes.ts'
import { envelopeOf, mappingOf, now, recordOf, rowOf } from './records.fixture.ts'

const topic = 'shop.public.customer'
const captured = createCapturedChanges(new Map([[topic, mappingOf({ redact: ['secret'] })]]))
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** Handles records with a storage that refuses some entries. */
async function handle(
  records: ReturnType<typeof recordOf>[],
  refuse = (_: StoredChangeEntry) => false,
  traced = false,
) {
  const stored: StoredChangeEntry[] = []
  const letters: DeadLetter[] = []
  const handled: HandledRecord[] = []
  const dependencies: RecordHandlerDependencies = {
    notifications: { insertNew: async () => ({ refused: [] }) as never },
    erasures: { accept: async () => ({ refused: [] }) },
    retractions: { accept: async () => ({ refused: [] }) },
    receipts: { apply: async () => ({ refused: [] }) } as never,
    changeEntries: {
      async insertNew(entries) {
        const refused = entries.filter(refuse)
        stored.push(...entries.filter((entry) => !refused.includes(entry)))
        return { inserted: 0, duplicates: 0, refused: refused.map((document) => ({ document, reason: 'no' })) }
      },
    },
    deadLetters: captured.redacting({ publish: async (all) => void letters.push(...all) }),
    capturedChanges: captured,
    group: 'test',
    times: () => ({ now }),
    observe: (all) => void handled.push(...all),
  }
  const spans: { name: string }[] = []
  const tracing = { record: (span: { name: string }) => void spans.push(span) } as never
  await createRecordHandler({ ...dependencies, tracing: traced ? tracing : undefined })(records, 'captured')
  return { stored, letters, handled, spans }
}

const update = (changes: Record<string, unknown>) =>
  recordOf(envelopeOf({ before: rowOf({ secret: 'hush' }), after: rowOf({ secret: 'hush', ...changes }) }))

test('stores all entries of a record, and observes one outcome for each record', async () => {
  const { stored, letters, handled } = await handle([
    update({ name: 'Bo', email: 'x' }),
    recordOf('', { id: 1 }),
    update({ tenant: null }),
    recordOf(envelopeOf({ op: 'c', before: null })),
  ])
  expect(stored.map(({ changedField }) => changedField)).toEqual(['name', 'email', ''])
  expect(letters).toMatchObject([{ code: 'subscriber_missing' }])
  expect(String(letters[0]?.record.value)).not.toContain('hush')
  expect(handled.map(({ outcome }) => outcome)).toEqual(['stored', 'skipped', 'subscriber_missing', 'stored'])
})

test('a record of which several entries are refused becomes one dead letter', async () => {
  const record = update({ name: 'Bo', email: 'x', n: 1 })
  const { stored, letters } = await handle([record], ({ changedField }) => changedField !== 'email')
  expect(stored.map(({ changedField }) => changedField)).toEqual(['email'])
  expect(letters).toMatchObject([{ code: 'refused_by_storage', detail: 'no' }])
})

test('a record that could not be read is a dead letter without its value', async () => {
  const record = {
    ...update({}),
    readFailure: { code: 'record_too_large', detail: 'x', omitted: { value: 9 } } as const,
  }
  const { letters } = await handle([{ ...record, value: null }])
  expect(letters).toMatchObject([{ code: 'record_too_large', record: { readFailure: { omitted: { value: 9 } } } }])
})

test('a record of a topic without a mapping is kept for later', async () => {
  const { letters } = await handle([{ ...update({ name: 'Bo' }), topic: 'other' }])
  expect(letters).toMatchObject([{ code: 'undecidable' }])
})

test('a trace in the headers of a record gets a span', async () => {
  const record = { ...update({ name: 'Bo' }), headers: { traceparent: Buffer.from(traceparent) } }
  const { stored, handled, spans } = await handle([record], undefined, true)
  expect(stored).toHaveLength(1)
  expect(handled).toMatchObject([{ traceparent }])
  const longer = { ...record, headers: { traceparent: Buffer.from(`${traceparent}-more`) } }
  expect((await handle([longer], undefined, true)).handled).toMatchObject([{ traceparent: undefined }])
  expect(spans).toMatchObject([{ name: `process ${topic}`, traceparent }])
})
