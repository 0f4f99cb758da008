import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { findFreePort } from '../free-port.ts'
import { findPort, readPort } from './gateway-port.ts'

test.each([
  [undefined, 8080],
  ['', 8080],
  ['1', 1],
  ['65535', 65_535],
])('PORT=%s asks for port %i', (text, port) => {
  expect(readPort(text)).toBe(port)
})

test.each(['abc', '70000', '0', '-1', '80.5', '1e3', ' 80', '0x50'])(
  'refuses PORT=%s and says what it may be',
  (text) => {
    expect(() => readPort(text)).toThrow(
      `PORT is ${JSON.stringify(text)}; it has to be a whole number from 1 to 65535.`,
    )
  },
)

test('passes over a port that is taken', async () => {
  const server = createServer().listen(await findFreePort(), '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  try {
    expect(await findPort(port)).toBeGreaterThan(port)
  } finally {
    server.close()
  }
})
