import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { findFreePort, findFreePorts } from './free-port.ts'

test('returns different ports, none of which an outgoing connection may take as its own', async () => {
  const ports = await findFreePorts(20)
  expect(new Set(ports).size).toBe(20)
  expect(Math.max(...ports)).toBeLessThan(32_768)
})

test('returns ports that can be listened on', async () => {
  for (const port of await findFreePorts(3)) {
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    server.close()
  }
})

test('returns no port twice, because its program may not listen yet, or be started again', async () => {
  const ports: number[] = []
  for (let n = 0; n < 1_000; n++) ports.push(await findFreePort())
  expect(new Set(ports).size).toBe(ports.length)
})
