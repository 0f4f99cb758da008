import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { outside } from './packed.ts'
import { askRegistry } from './registry.ts'

const at = (address: string) => ({ ...outside(), npm_config_registry: address })

test('an unreachable registry is a reason to skip', async () => {
  const registry = await askRegistry(at('http://127.0.0.1:9/'))
  expect(registry).toEqual({ kind: 'unreachable', reason: expect.stringContaining('ECONNREFUSED') })
})

test('an error response of the registry is a failure', async () => {
  const server = createServer((_, response) => response.writeHead(403).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    expect(await askRegistry(at(`http://127.0.0.1:${port}/`))).toMatchObject({ kind: 'fails' })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
