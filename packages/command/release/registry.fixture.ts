import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A minimal npm registry. `environment` makes npm use it. */
export async function startRegistry() {
  const documents = new Map<
    string,
    { readonly _id: string; readonly versions: Record<string, { repository?: unknown }> }
  >()
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(request.url ?? '').slice(1)
    if (request.method === 'PUT') {
      documents.set(name, (await json(request)) as never)
      return response.writeHead(201, { 'content-type': 'application/json' }).end('{}')
    }
    const found = documents.get(name)
    return response
      .writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(found ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    /** Names in order of first publication. */
    published: () => [...documents.keys()],
    repositoryOf: (name: string) => documents.get(name)?.versions['1.0.0']?.repository,
    environment: {
      npm_config_registry: `http://${address}/`,
      [`npm_config_//${address}/:_authToken`]: 'for-the-test',
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
