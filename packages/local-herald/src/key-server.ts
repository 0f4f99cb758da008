import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type StartedKeyServer = {
  /** For `AUTH_JWKS_URI`. */
  url: string
  /** The number of requests so far. */
  requests(): number
  /** Replaces the keys, like an issuer that rotates them. */
  serve(jwks: object): void
  stop(): Promise<void>
}

/** Serves a key set on the loopback address. */
export async function startKeyServer(jwks: object): Promise<StartedKeyServer> {
  let served = jwks
  let requests = 0
  const server = createServer((_request, response) => {
    requests += 1
    response.setHeader('content-type', 'application/json').end(JSON.stringify(served))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/jwks.json`,
    requests: () => requests,
    serve: (other) => {
      served = other
    },
    async stop() {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
