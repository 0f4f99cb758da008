import { once } from 'node:events'
import { createServer } from 'node:net'
import { findFreePort } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { findPort, readPort } from './gateway-port.ts'

test.each([
  [undefined, 8080],
  ['', 8080],
  ['1', 1],
  ['65535', 65_535],
])('reads PORT=%s as %i', (text, port) => {
  expect(readPort(text)).toBe(port)
})

test.each(['abc', '70000', '0', '-1', '80.5', '1e3', ' 80', '0x50'])('rejects PORT=%s with the valid range', (text) => {
  expect(() => readPort(text)).toThrow(`PORT is ${JSON.stringify(text)}; it must be an integer from 1 to 65535.`)
})

test('skips a port in use', async () => {
  const server = createServer().listen(await findFreePort(), '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  try {
    expect(await findPort(port)).toBeGreaterThan(port)
  } finally {
    server.close()
  }
})
