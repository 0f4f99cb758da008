import type { RecordHeaders } from '@herald/contracts'
import type { IncomingRecord } from '@herald/kafka'
import type { Decision } from './decide.ts'

export const uuid = (n: number) => `0190a6e0-7c1b-7def-8abc-${n.toString(16).padStart(12, '0')}`
export const now = new Date('2026-02-01T00:00:00Z')

type Attributes = Record<string, unknown>

/** The id derived from the default attributes: the second test vector of the id derivation. */
export const goldenId = '019b76da-a87b-726e-a4a3-c60fe33870b1'
export const attributes = (changes: Attributes = {}): Attributes => ({
  specversion: '1.0',
  id: 'evt-0001',
  source: 'https://collab.example/comments',
  type: 'herald.mention.created.v1',
  time: '2026-01-01T00:00:00.123Z',
  subscriberid: '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9',
  ...changes,
})

export const mentionData = (changes: Record<string, unknown> = {}) => ({
  actor: { id: uuid(1), name: 'Ada', image: '' },
  actorType: 'user',
  subjectId: uuid(2),
  subjectType: 'user',
  locationId: uuid(3),
  locationType: 'comment',
  metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', anchorId: 'a' }, add: {}, edit: {} },
  recipientIds: [uuid(4)],
  ...changes,
})

export const changeData = (changes: Record<string, unknown> = {}) => ({
  user: { id: uuid(1), name: 'Ada', email: 'ada@example.com' },
  entityType: 'portfolio',
  entityId: 'p-1',
  entityTitle: 'Portfolio',
  actionType: 'update',
  changedField: 'name',
  beforeState: null,
  afterState: 'new',
  ...changes,
})

export const recordOf = (value: Buffer | string | null, headers: RecordHeaders = {}): IncomingRecord => ({
  topic: 'mention-events',
  partition: 1,
  offset: '42',
  timestamp: '1767225600123',
  key: Buffer.from('key'),
  value: value === null ? null : Buffer.from(value),
  headers,
})

/** An event in structured mode: attributes and data in the value. */
export const structured = (event: Attributes, data: unknown, contentType = 'application/cloudevents+json') =>
  recordOf(JSON.stringify({ ...event, data }), { 'content-type': Buffer.from(contentType) })

/** An event in binary mode: data in the value, attributes in headers. */
export const binary = (event: Attributes, data: unknown, contentType: string | undefined = 'application/json') => {
  const headers = Object.entries(event).map(([name, value]) => [`ce_${name}`, Buffer.from(String(value))] as const)
  return recordOf(JSON.stringify(data), {
    ...Object.fromEntries(headers),
    ...(contentType === undefined ? {} : { 'content-type': Buffer.from(contentType) }),
  })
}

/** The code of a dead letter, or the kind of the decision. */
export const codeOf = (decision: Decision) => (decision.kind === 'dead-letter' ? decision.code : decision.kind)

/** The detail of a dead letter, or an empty string. */
export const detailOf = (decision: Decision) => (decision.kind === 'dead-letter' ? decision.detail : '')
