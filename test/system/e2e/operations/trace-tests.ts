import { randomBytes } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { describe, expect, test } from '@jest/globals'
import { createBody } from '../support/create-body.ts'
import { originIn, originOf, readDeadLetters } from '../support/dead-letters.ts'
import { binary, change, type Event, mention, structured } from '../support/events.ts'
import type { TestHerald } from '../support/herald.ts'
import type { ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts'

type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>

/** A caller's span context, sampled by default. */
function newTrace(flags = '01') {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` }
}

const consumer = 5
const server = 2
const client = 3
const failed = 2

export function describeTraces(herald: () => TestHerald, receiver: () => OtlpReceiver): void {
  describe('traces', () => {
    const spansOf = (traceId: string) => receiver().spans.filter((span) => span.traceId === traceId)
    /** Waits for a span of each of these kinds. */
    async function received(traceId: string, ...kinds: number[]): Promise<ReceivedSpan[]> {
      const ofKind = (one: number) => spansOf(traceId).find(({ kind }) => kind === one)
      const all = () => kinds.map(ofKind).filter((span) => span !== undefined)
      await eventually(() => all().length === kinds.length, { description: `spans ${kinds} of ${traceId}` })
      return all()
    }

    test.each<[string, (event: Event, traceparent: string) => ReturnType<typeof structured>]>([
      ['an attribute of a structured event', (event, traceparent) => structured({ ...event, traceparent } as Event)],
      ['an attribute of a binary event', (event, traceparent) => binary({ ...event, traceparent } as Event)],
      [
        'a plain header',
        (event, traceparent) => ({ ...structured(event), headers: { ...structured(event).headers, traceparent } }),
      ],
    ])('a traceparent in %s is the parent of the processing span', async (_, toMessage) => {
      const user = await herald().newUser()
      const { traceId, spanId, traceparent } = newTrace()
      const event = mention([user.id], { subscriberid: user.subscriberId })
      const [metadata] = await herald().publish(herald().topics.mention, [toMessage(event, traceparent)])

      const [processing, writing] = (await received(traceId, consumer, client)) as [ReceivedSpan, ReceivedSpan]
      expect(processing).toMatchObject({
        service: 'herald-ingest',
        parentSpanId: spanId,
        name: `process ${herald().topics.mention}`,
        attributes: {
          'messaging.system': 'kafka',
          'messaging.operation.name': 'process',
          'messaging.operation.type': 'process',
          'messaging.consumer.group.name': expect.any(String),
          'messaging.destination.name': herald().topics.mention,
          'messaging.destination.partition.id': String(metadata?.partition),
          'messaging.kafka.offset': Number(metadata?.baseOffset),
          'herald.outcome': 'stored',
        },
      })
      expect(writing).toMatchObject({ name: 'insert notifications', parentSpanId: processing.spanId })
      expect(BigInt(writing.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(processing.startTimeUnixNano))
      expect(BigInt(writing.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(processing.endTimeUnixNano))
      expect([...receiver().paths]).toEqual(['POST /v1/traces'])
    })

    test('a dead letter has a failed span and carries the traceparent', async () => {
      const user = await herald().newUser()
      const { traceId, spanId, traceparent } = newTrace()
      const future = new Date(Date.now() + 3_600_000).toISOString()
      const event = change({ subscriberid: user.subscriberId, time: future, traceparent })
      const origin = originIn(await herald().publish(herald().topics.change, [structured(event)]))

      const [processing] = (await received(traceId, consumer, client)) as [ReceivedSpan]
      expect(processing).toMatchObject({ parentSpanId: spanId, status: { code: failed } })
      expect(processing.attributes).toMatchObject({ 'herald.outcome': 'future_time', 'error.type': 'future_time' })
      const written = spansOf(traceId).filter(({ kind }) => kind === client)
      expect(written.map(({ name }) => name)).toEqual(['publish dead letters'])
      const letters = await readDeadLetters(herald().brokers, herald().topics.deadLetter, [origin])
      const letter = letters.find((one) => originOf(one) === origin)
      expect(String(letter?.headers?.traceparent)).toBe(traceparent)
    })

    test('requests of both services have child spans named by route, without ids', async () => {
      const user = await herald().newUser()
      const [creating, reading] = [newTrace(), newTrace()]
      const { json } = await user.post('/', createBody([user.id]), { traceparent: creating.traceparent })
      const { id } = (json as { data: { id: string } }).data
      await user.send(`/notifications/${id}`, { headers: { traceparent: reading.traceparent } })

      const [created] = await received(creating.traceId, server)
      const [read] = await received(reading.traceId, server)
      expect(created).toMatchObject({
        service: 'herald-ingest',
        name: 'POST /',
        kind: server,
        parentSpanId: creating.spanId,
      })
      expect(created?.attributes['http.response.status_code']).toBe(201)
      expect(read).toMatchObject({
        service: 'herald-query',
        name: 'GET /notifications/:notificationId',
        kind: server,
        parentSpanId: reading.spanId,
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/notifications/:notificationId',
          'http.response.status_code': 200,
        },
      })
      expect(JSON.stringify(read)).not.toContain(id)
    })

    test('an unsampled trace has no spans, and a malformed traceparent is ignored', async () => {
      const user = await herald().newUser()
      const [unsampled, sampled] = [newTrace('00'), newTrace()]
      await user.send('/', { headers: { traceparent: unsampled.traceparent } })
      await user.send('/', { headers: { traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01` } })
      await user.send('/', { headers: { traceparent: sampled.traceparent } })
      await received(sampled.traceId, server)
      expect(spansOf(unsampled.traceId)).toEqual([])
      expect(spansOf('0'.repeat(32))).toEqual([])
    })
  })
}
