import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { z } from 'zod'
import { cloudEventAttributesSchema } from './cloud-event.ts'
import { changeRecordedSchema, mentionCreatedSchema } from './event-data.ts'
import { readUsualAttributes, readUsualChange, readUsualMention } from './usual-event.ts'

const uuid = '0190a6e0-7c1b-7def-8abc-00000000000a'
const other = '0190a6e0-7c1b-7def-8abc-00000000000b'
const attributes = {
  specversion: '1.0',
  id: 'e-1',
  source: '/services/esg',
  type: 'herald.change.recorded.v1',
  time: '2026-05-31T23:59:59.999Z',
  subscriberid: uuid,
  datacontenttype: 'application/json',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
}
const change = {
  user: { id: uuid, name: 'Ada', email: 'ada@example.com' },
  entityType: 'portfolio',
  entityId: 'p-1',
  entityTitle: '',
  actionType: 'update',
  changedField: 'name',
  beforeState: { b: 1, a: [null] },
  afterState: null,
}
const mention = {
  actor: { id: uuid, name: 'Ada', image: '' },
  actorType: 'user',
  subjectId: uuid,
  subjectType: 'user',
  locationId: uuid,
  locationType: 'comment',
  metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', anchorId: 'a', entityType: 'x' }, add: {}, edit: {} },
  recipientIds: [uuid, other],
}

type Case = { read: (value: never) => unknown; schema: z.ZodType; usual: Record<string, unknown> }
const cases: [string, Case][] = [
  ['attributes', { read: readUsualAttributes, schema: cloudEventAttributesSchema, usual: attributes }],
  ['a change', { read: readUsualChange, schema: changeRecordedSchema, usual: change }],
  ['a mention', { read: readUsualMention, schema: mentionCreatedSchema, usual: mention }],
]

/** The paths of a value and of all nested values. */
function pathsIn(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...at]]
  return [[...at], ...Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...at, key]))]
}

function changed(value: unknown, [key, ...rest]: readonly string[], item: unknown): unknown {
  if (key === undefined) return item
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...(value as object) }
  const members = copy as Record<string, unknown>
  const inner = changed(members[key], rest, item)
  if (inner === undefined) delete members[key]
  else members[key] = inner
  return copy
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    0,
    [],
    {},
    [uuid],
    [uuid, uuid],
    uuid.toUpperCase(),
    `${uuid}\n`,
    'user',
  ),
  fc.constantFrom('2026-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z', '2026-05-31t00:00:00z', '1969-12-31T23:59:59Z'),
  fc.constantFrom('2026-05-31T00:00:00+02:00', '2026-04-31T00:00:00Z', '2026-05-31T24:00:00Z', '0000-01-01T00:00:00Z'),
  fc.constantFrom('x'.repeat(200), 'x'.repeat(201), '🔑'.repeat(200), '\u0001'.repeat(2_000), 'x'.repeat(20_000)),
  fc.string(),
  fc.jsonValue(),
)

describe.each(cases)('%s', (_, { read, schema, usual }) => {
  test('of the usual form is read like by the schema', () => {
    expect(read(usual as never)).toEqual(schema.parse(usual))
  })

  test('of any other form is read like by the schema or left to it', () => {
    const paths = pathsIn(usual)
    const changes = fc.array(fc.tuple(fc.constantFrom(...paths, ['more'], ['metadata', 'add', 'x']), odd), {
      maxLength: 3,
    })
    fc.assert(
      fc.property(changes, (edits) => {
        const value = edits.reduce<unknown>((sum, [path, item]) => changed(sum, path, item), usual)
        // The caller only passes objects.
        if (usual === attributes && (typeof value !== 'object' || value === null)) return
        const found = read(value as never)
        if (found === undefined) return
        const parsed = schema.safeParse(value)
        expect({ valid: parsed.success, text: JSON.stringify(found) }).toEqual({
          valid: true,
          text: JSON.stringify(parsed.data),
        })
      }),
      { numRuns: 5_000 },
    )
  })
})
