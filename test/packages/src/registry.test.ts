import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { outside } from './packed.ts'
import { askRegistry } from './registry.ts'

const at = (address: string) => ({ ...outside(), npm_config_registry: address })

test('a registry that cannot be reached is a reason to skip', async () => {
  const seen = await askRegistry(at('http://127.0.0.1:9/'))
  expect(seen).toEqual({ kind: 'away', why: expect.stringContaining('ECONNREFUSED') })
})

test('a registry that answers with an error is a failure', async () => {
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
