import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBody } from '../support/create-body.ts'
import { readDeadLetters } from '../support/dead-letters.ts'
import { binary, change, type Event, mention, structured } from '../support/events.ts'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts'
import { eventually } from '../support/polling.ts'

let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>
let herald: TestHerald

beforeAll(async () => {
  receiver = await startOtlpReceiver()
  herald = await startTestHerald('traces', { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })
})
afterAll(async () => {
  await herald?.stop()
  await receiver?.stop()
})

/** The span of somebody who publishes or asks, which is kept unless he says otherwise. */
function newTrace(flags = '01') {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` }
}

const spansOf = (traceId: string) => receiver.spans.filter((span) => span.traceId === traceId)
const received = (traceId: string, count: number) =>
  eventually(() => spansOf(traceId).length >= count && spansOf(traceId), { what: `${count} spans of ${traceId}` })

const consumer = 5
const server = 2
const client = 3
const failed = 2

test.each<[string, (event: Event, traceparent: string) => ReturnType<typeof structured>]>([
  ['an attribute of a structured event', (event, traceparent) => structured({ ...event, traceparent } as Event)],
  ['an attribute of a binary event', (event, traceparent) => binary({ ...event, traceparent } as Event)],
  [
    'a plain header',
    (event, traceparent) => ({ ...structured(event), headers: { ...structured(event).headers, traceparent } }),
  ],
])('a traceparent that is %s is the parent of the span that stores the event', async (_, toMessage) => {
  const user = await herald.newUser()
  const { traceId, spanId, traceparent } = newTrace()
  const event = mention([user.id], { subscriberid: user.subscriberId })
  const [place] = await herald.publish(herald.topics.mention, [toMessage(event, traceparent)])

  const spans = await received(traceId, 2)
  const processing = spans.find(({ kind }) => kind === consumer) as ReceivedSpan
  expect(processing).toMatchObject({
    service: 'herald-ingest',
    parentSpanId: spanId,
    name: `process ${herald.topics.mention}`,
    attributes: {
      'messaging.system': 'kafka',
      'messaging.destination.name': herald.topics.mention,
      'messaging.destination.partition.id': String(place?.partition),
      'messaging.kafka.offset': Number(place?.baseOffset),
      'herald.outcome': 'stored',
    },
  })
  const [writing] = spans.filter(({ kind }) => kind === client) as [ReceivedSpan]
  expect(writing).toMatchObject({ name: 'insert notifications', parentSpanId: processing.spanId })
  expect(BigInt(writing.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(processing.startTimeUnixNano))
  expect(BigInt(writing.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(processing.endTimeUnixNano))
  expect([...receiver.paths]).toEqual(['POST /v1/traces'])
})

test('what becomes a dead letter has a span that says so, and the trace stands on the letter', async () => {
  const user = await herald.newUser()
  const { traceId, spanId, traceparent } = newTrace()
  const future = new Date(Date.now() + 3_600_000).toISOString()
  const event = change({ subscriberid: user.subscriberId, time: future, traceparent })
  await herald.publish(herald.topics.change, [structured(event)])

  const spans = await received(traceId, 2)
  const processing = spans.find(({ kind }) => kind === consumer) as ReceivedSpan
  expect(processing).toMatchObject({ parentSpanId: spanId, status: { code: failed } })
  expect(processing.attributes['herald.outcome']).toBe('future_time')
  expect(spans.filter(({ kind }) => kind === client).map(({ name }) => name)).toEqual(['publish dead letters'])
  const [letter] = await readDeadLetters(herald.brokers, herald.topics.deadLetter, 1)
  expect(String(letter?.headers?.traceparent)).toBe(traceparent)
})

test('requests of both services have spans below the caller’s, by pattern and without anything that was said', async () => {
  const user = await herald.newUser()
  const [creating, asking] = [newTrace(), newTrace()]
  const { json } = await user.post('/', createBody([user.id]), { traceparent: creating.traceparent })
  const { id } = (json as { data: { id: string } }).data
  await user.send(`/notifications/${id}`, { headers: { traceparent: asking.traceparent } })

  const [created] = await received(creating.traceId, 1)
  const [asked] = await received(asking.traceId, 1)
  expect(created).toMatchObject({
    service: 'herald-ingest',
    name: 'POST /',
    kind: server,
    parentSpanId: creating.spanId,
  })
  expect(created?.attributes['http.response.status_code']).toBe(201)
  expect(asked).toMatchObject({
    ...{
      service: 'herald-query',
      name: 'GET /notifications/:notificationId',
      kind: server,
      parentSpanId: asking.spanId,
    },
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/notifications/:notificationId',
      'http.response.status_code': 200,
    },
  })
  expect(JSON.stringify(asked)).not.toContain(id)
})

test('a trace that its beginner does not keep has no spans, and a malformed one is that of nobody', async () => {
  const user = await herald.newUser()
  const [unkept, kept] = [newTrace('00'), newTrace()]
  await user.send('/', { headers: { traceparent: unkept.traceparent } })
  await user.send('/', { headers: { traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01` } })
  await user.send('/', { headers: { traceparent: kept.traceparent } })
  await received(kept.traceId, 1)
  expect(spansOf(unkept.traceId)).toEqual([])
  expect(spansOf('0'.repeat(32))).toEqual([])
})
