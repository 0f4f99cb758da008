import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TokenClaims, TokenIssuer, TokenOverrides } from './token-issuer.ts'

/** The body of `POST /token`. Claims that are `null` are left out of the token. */
type TokenRequest = { claims?: Record<string, unknown>; overrides?: TokenOverrides }

export type IssuerServer = {
  readonly port: number
  stop(): Promise<void>
}

/**
 * Serves `GET /jwks.json`, `GET /issuer` (names and public key) and `POST /token`, which signs any token for any caller.
 * For development only, on an address that others cannot reach. `POST /token` returns 403 unless `Host` is a loopback name
 * and `Origin`, if any, is its own: otherwise foreign pages could get tokens through a browser on this machine.
 */
export async function startIssuerServer(
  issuer: TokenIssuer,
  { host, port }: { host: string; port: number },
): Promise<IssuerServer> {
  const routes: Record<string, (request: IncomingMessage) => Promise<string>> = {
    'GET /jwks.json': async () => JSON.stringify(issuer.jwks),
    'GET /issuer': async () => {
      const { issuer: name, audience, keyId, publicKeyPem } = issuer
      return JSON.stringify({ issuer: name, audience, keyId, publicKeyPem })
    },
    'POST /token': async (request) => {
      const { claims, overrides } = readTokenRequest(await text(request))
      return issuer.sign(claims, overrides)
    },
  }
  const server = createServer((request, response) => {
    const route = routes[`${request.method} ${request.url}`]
    if (request.method === 'POST' && !isLocal(request))
      return response.writeHead(403, { 'content-type': 'text/plain' }).end('Only for programs on this machine\n')
    if (!route) return response.writeHead(404).end('GET /jwks.json, GET /issuer or POST /token\n')
    const type = request.method === 'POST' ? 'text/plain' : 'application/json'
    return route(request).then(
      (body) => response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body),
      (error) => response.writeHead(400, { 'content-type': 'text/plain' }).end(`${error}\n`),
    )
  })
  // Clients close idle connections. If this server did, the next request of a busy client could be lost on its way.
  server.keepAliveTimeout = 0
  server.listen(port, host)
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

function isLocal({ headers: { host = '', origin } }: IncomingMessage): boolean {
  return loopbackHost.test(host) && (origin === undefined || origin === `http://${host}`)
}

function readTokenRequest(body: string): { claims: TokenClaims; overrides: TokenOverrides } {
  const { claims = {}, overrides = {} } = (body.trim() === '' ? {} : JSON.parse(body)) as TokenRequest
  const given = Object.entries(claims).map(([name, value]) => [name, value === null ? undefined : value])
  return { claims: Object.fromEntries(given), overrides }
}
