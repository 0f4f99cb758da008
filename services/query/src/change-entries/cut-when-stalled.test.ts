import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, expect, jest, test } from '@jest/globals'
import { cutWhenStalled } from './cut-when-stalled.ts'

let server: Server
afterEach(() => {
  jest.useRealTimers()
  server.closeAllConnections()
  server.close()
})

test('a reader who stops at the last piece is cut off as well', async () => {
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'setImmediate', 'setInterval', 'queueMicrotask', 'performance', 'Date'],
  })
  let ended = () => {}
  const piecesEnded = new Promise<void>((resolve) => {
    ended = resolve
  })
  async function* pieces() {
    // More than the buffers of both sockets take.
    yield Buffer.alloc(50_000_000)
    ended()
  }
  let closed: Promise<unknown> = Promise.reject(new Error('Nobody asked'))
  closed.catch(() => {})
  server = createServer((_, response) => {
    closed = once(response, 'close')
    Readable.from(cutWhenStalled(pieces(), response, 60_000), { highWaterMark: 1 }).pipe(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const asked = get({ port: (server.address() as AddressInfo).port, agent: false })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.on('error', () => {})
  answer.pause()
  await piecesEnded

  jest.advanceTimersByTime(59_000)
  expect(await new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(1)
  jest.advanceTimersByTime(1_000)
  await closed
})
