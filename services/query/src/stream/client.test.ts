import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { createTestClient } from './client.fixture.ts'

const event = (bytes: number) => ({ event: 'notification', data: 'x'.repeat(bytes) })

test('never buffers more than the limit; beyond it, sends the reason if that fits, and disconnects', async () => {
  const options = { maxBufferedBytes: 1_000, farewellMs: 20 }
  const { client, sink, ends, names } = createTestClient({ reads: false, options })
  for (let n = 0; n < 20; n++) client.send(event(180), `${n}`)
  expect(sink.writableLength).toBeLessThanOrEqual(1_000)
  expect(names().at(-1)).toBe('cut-off')
  expect([client.ended, sink.isEnded, sink.isDestroyed, ends]).toEqual([true, true, false, ['too-slow']])
  await wait(60)
  expect(sink.isDestroyed).toBe(true)
  const { length } = names()
  client.send(event(1), '99')
  client.close()
  expect(names()).toHaveLength(length)
})

test('sends no reason that exceeds the limit', () => {
  const { client, names, ends } = createTestClient({ reads: false, options: { maxBufferedBytes: 1_000 } })
  client.send(event(930), '1')
  client.send(event(100), '2')
  expect([names(), ends]).toEqual([['notification'], ['too-slow']])
})

test('never disconnects a client that reads', () => {
  const { client, names } = createTestClient({ options: { maxBufferedBytes: 1_000 } })
  for (let n = 0; n < 100; n++) client.send(event(500), `${n}`)
  expect(names()).toHaveLength(100)
})

test('waits for a congested reader, up to a limit', async () => {
  const options = { maxCatchUpBytes: 100, drainMs: 50 }
  const patient = createTestClient({ reads: false, options })
  patient.client.send(event(200), '1')
  expect(patient.client.congested).toBe(true)
  setTimeout(patient.sink.drain, 10)
  await patient.client.drained()
  expect([patient.client.congested, patient.client.ended]).toEqual([false, false])

  const stalled = createTestClient({ reads: false, options })
  stalled.client.send(event(200), '1')
  await stalled.client.drained()
  expect(stalled.ends).toEqual(['too-slow'])
})

test('sends heartbeats with its position until the token expires', async () => {
  const { ends, events } = createTestClient({ position: '7', expiresInMs: 1_000, options: { heartbeatMs: 100 } })
  while (ends.length === 0) await wait(10)
  const names = events.map((one) => `${one.event} ${one.lastEventId}`)
  expect(names.length).toBeGreaterThan(2)
  expect(new Set(names.slice(0, -1))).toEqual(new Set(['heartbeat 7']))
  expect(names.at(-1)).toBe('expired 7')
  expect(ends).toEqual(['expired'])
})

test('sends comments instead of heartbeats while catching up', async () => {
  const { events, sink } = createTestClient({ reads: false, isCatchingUp: true, options: { heartbeatMs: 10 } })
  const before = sink.writableLength
  while (sink.writableLength === before) await wait(5)
  expect(events).toEqual([])
})

test('every block has data, and the first one the time to wait before reconnecting', async () => {
  const { client, sink } = createTestClient({ isCatchingUp: true, options: { heartbeatMs: 10 } })
  while (!sink.written.includes(': catching up')) await wait(5)
  client.send({ event: 'seen', data: '{}' }, '1')
  client.close()
  const blocks = sink.written.split('\n\n')
  expect(blocks.pop()).toBe('')
  expect(blocks.filter((block) => !block.includes('\ndata: '))).toEqual([])
  expect(blocks.map((block) => block.includes('retry: '))).toEqual([true, false])
})

test('does not end at once with a token that is valid for years', async () => {
  const { ends } = createTestClient({ expiresInMs: 2 ** 40, options: { heartbeatMs: 10 } })
  await wait(30)
  expect(ends).toEqual([])
})

test('ends once when the connection closes', async () => {
  const { client, sink, ends } = createTestClient()
  sink.close()
  sink.close()
  client.close()
  expect(ends).toEqual(['client'])
})
