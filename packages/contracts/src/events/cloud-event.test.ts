import { expect, test } from '@jest/globals'
import { toValidationIssues } from '../base/zod-issues.ts'
import { cloudEventAttributesSchema, traceparentOf } from './cloud-event.ts'

const attributes = (changes: Record<string, unknown> = {}) => ({
  specversion: '1.0',
  id: 'evt-1',
  source: '/notes',
  type: 'herald.mention.created.v1',
  time: '2026-01-31T09:30:00Z',
  subscriberid: '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9',
  ...changes,
})

const issuesOf = (changes: Record<string, unknown>) => {
  const parsed = cloudEventAttributesSchema.safeParse(attributes(changes))
  return parsed.success ? [] : toValidationIssues(parsed.error).map(({ pointer }) => pointer)
}

test('parses time to milliseconds and the subscriber to lower case', () => {
  const subscriberid = attributes().subscriberid.toUpperCase()
  const parsed = cloudEventAttributesSchema.parse(attributes({ time: '2026-01-31T10:30:00.9879+01:00', subscriberid }))
  expect(parsed).toEqual({ ...attributes(), time: Date.parse('2026-01-31T09:30:00.987Z') })
})

test('drops unknown attributes', () => {
  expect(cloudEventAttributesSchema.parse(attributes({ partitionkey: 'x' }))).not.toHaveProperty('partitionkey')
})

test.each(['application/json', 'APPLICATION/JSON; charset=utf-8', 'application/vnd.herald+json', undefined])(
  'accepts datacontenttype %s',
  (datacontenttype) => {
    expect(issuesOf({ datacontenttype })).toEqual([])
  },
)

test.each([
  [{ specversion: '0.3' }, '/specversion'],
  [{ specversion: undefined }, '/specversion'],
  [{ id: '' }, '/id'],
  [{ id: 1 }, '/id'],
  [{ source: '' }, '/source'],
  [{ type: undefined }, '/type'],
  [{ time: undefined }, '/time'],
  [{ time: 1_767_225_600 }, '/time'],
  [{ time: '2026-01-31' }, '/time'],
  [{ time: '1969-12-31T23:59:59.999Z' }, '/time'],
  [{ subscriberid: 'acme' }, '/subscriberid'],
  [{ subscriberid: undefined }, '/subscriberid'],
  [{ datacontenttype: 'application/xml' }, '/datacontenttype'],
  [{ datacontenttype: 'application/jsonp' }, '/datacontenttype'],
])('rejects %j', (changes, pointer) => {
  expect(issuesOf(changes)).toEqual([pointer])
})

test('accepts the first millisecond of 1970', () => {
  expect(issuesOf({ time: '1970-01-01T00:00:00Z' })).toEqual([])
})

const trace = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331'

test('keeps a traceparent in the form of W3C Trace Context', () => {
  expect(cloudEventAttributesSchema.parse(attributes({ traceparent: `00-${trace}-01` })).traceparent).toBe(
    `00-${trace}-01`,
  )
})

test.each([
  '',
  'x',
  7,
  null,
  `00-${trace}-01-`,
  `00-${trace}-01\n`,
  `00-${trace}-01${'0'.repeat(1_000_000)}`,
  ` 00-${trace}-01`,
  `00-${trace.toUpperCase()}-01`,
  `01-${trace}-01`,
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,
])('ignores any other traceparent', (traceparent) => {
  expect(cloudEventAttributesSchema.parse(attributes({ traceparent })).traceparent).toBeUndefined()
  expect(traceparentOf(traceparent)).toBeUndefined()
})
