import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { notificationAt } from '../query.fixture.ts'
import { createEventParser } from './event-parser.fixture.ts'
import { createStreamTest, openStream, type StreamTest } from './stream.fixture.ts'

let world: StreamTest

beforeAll(async () => {
  world = await createStreamTest('slow')
})
afterAll(() => world?.end())

const newUser = () => ({ id: randomUUID(), subscriberId: randomUUID() })
const large = `{"mention":{"mentionerName":"Ada","snippet":"Look","entityType":"x"},"add":{"a":"${'x'.repeat(15_000)}"},"edit":{}}`

async function notify(user: ReturnType<typeof newUser>, count: number): Promise<string[]> {
  const some = Array.from({ length: count }, (_, n) => notificationAt(Date.now() + n, user, { metadata: large }))
  for (let n = 0; n < count; n += 50) await world.store.notifications.insertNew(some.slice(n, n + 50))
  return some.map(({ id }) => id)
}

/** A reader on a raw socket that controls when it reads. */
async function connectSlowly(url: string, token: string, lastEventId = ''): Promise<Socket> {
  const { hostname, port, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  const id = lastEventId === '' ? '' : `last-event-id: ${lastEventId}\r\n`
  socket.write(`GET /notifications/stream HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n${id}\r\n`)
  socket.on('error', () => {})
  return socket
}

test('disconnects a client that does not read, without affecting others', async () => {
  const service = await world.start()
  const user = newUser()
  const token = await world.token(user)
  const reader = await openStream(service.url, token)
  const stalled = await connectSlowly(service.url, token)
  await once(stalled, 'readable')
  await reader.until('unread-count')
  const ids = await notify(user, 3_000)
  await reader.until('notification', 3_000)
  expect(reader.notificationIds()).toEqual(ids)
  expect(await service.metric('herald_streams_ended_total', 'too-slow')).toBe(1)
  expect(await service.metric('herald_streams_open')).toBe(1)
  // The slow client received only the events that the buffers of the operating system took.
  const sentToBoth = await service.metric('herald_stream_events_total', 'notification')
  expect(sentToBoth - 3_000).toBeLessThan(1_500)
  await wait(1_100)
  stalled.resume()
  await once(stalled, 'close')
  await reader.close()
})

test('waits for a client that catches up slowly, and sends it everything', async () => {
  const service = await world.start()
  const user = newUser()
  const token = await world.token(user)
  const first = await openStream(service.url, token)
  await first.until('heartbeat')
  await first.close()
  const ids = await notify(user, 1_000)
  const socket = await connectSlowly(service.url, token, first.lastEventId())
  // Nothing is read until no more is sent.
  const sentEvents = () => service.metric('herald_stream_events_total', 'notification')
  for (let last = 0, now = 0; now === 0 || now > last; last = now, now = await sentEvents()) await wait(1_000)
  expect(await sentEvents()).toBeLessThan(ids.length)
  const parse = createEventParser()
  const received: string[] = []
  let text = ''
  const deadline = Date.now() + 90_000
  while (received.length < ids.length && Date.now() < deadline && !socket.destroyed) {
    await wait(2)
    const bytes: Buffer | null = socket.read()
    if (bytes === null) continue
    // Raw HTTP: removes the chunk delimiters.
    text += bytes.toString('latin1')
    const whole = text.slice(0, text.lastIndexOf('\n\n') + 2)
    text = text.slice(whole.length)
    for (const { event, data } of parse(whole.replaceAll(/\r\n[0-9a-f]+\r\n/g, ''))) {
      if (event === 'notification') received.push(JSON.parse(data).id)
    }
  }
  expect(received).toEqual(ids)
  expect(await service.metric('herald_streams_ended_total', 'too-slow')).toBe(0)
  expect(await service.metric('herald_change_streams_total', 'catch-up')).toBeGreaterThan(1)
  socket.destroy()
})

test('disconnects a client that reads nothing while catching up', async () => {
  const service = await world.start({ drainMs: 300 })
  const user = newUser()
  const token = await world.token(user)
  const first = await openStream(service.url, token)
  await first.until('heartbeat')
  await first.close()
  await notify(user, 1_000)
  const socket = await connectSlowly(service.url, token, first.lastEventId())
  const deadline = Date.now() + 60_000
  while ((await service.metric('herald_streams_ended_total', 'too-slow')) === 0 && Date.now() < deadline) await wait(50)
  expect(await service.metric('herald_streams_ended_total', 'too-slow')).toBe(1)
  socket.destroy()
})
