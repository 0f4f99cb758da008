import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from '@jest/globals'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { startIssuerServer } from './issuer-server.ts'
import { connectTokenIssuer } from './remote-token-issuer.ts'
import { createTokenIssuer } from './token-issuer.ts'

const issuer = await createTokenIssuer()
const server = await startIssuerServer(issuer, { host: '127.0.0.1', port: 0 })
afterAll(() => server.stop())

const url = (path: string) => `http://127.0.0.1:${server.port}${path}`
const keys = createRemoteJWKSet(new URL(url('/jwks.json')))

async function requestToken(body?: string) {
  const answer = await fetch(url('/token'), { method: 'POST', ...(body === undefined ? {} : { body }) })
  return { status: answer.status, text: await answer.text() }
}
const verify = (token: string) => jwtVerify(token, keys, { issuer: issuer.issuer, audience: issuer.audience })

test('signs a default token that verifies with the served keys', async () => {
  const { payload } = await verify((await requestToken()).text)
  expect(payload.sub).toMatch(/^[0-9a-f-]{36}$/)
  expect(payload.scope).toBe('notifications:create change-entries:read')
})

test('signs the requested claims and leaves out those that are null', async () => {
  const { payload } = await verify((await requestToken(JSON.stringify({ claims: { sub: 'a', scope: null } }))).text)
  expect(payload).toMatchObject({ sub: 'a' })
  expect(payload).not.toHaveProperty('scope')
})

test('signs an expired token on request', async () => {
  const { text } = await requestToken(JSON.stringify({ overrides: { expiresIn: -60 } }))
  await expect(verify(text)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' })
})

test('serves the issuer, audience and public key', async () => {
  const body = await (await fetch(url('/issuer'))).json()
  const { issuer: name, audience, keyId, publicKeyPem } = issuer
  expect(body).toEqual({ issuer: name, audience, keyId, publicKeyPem })
})

test('returns 400 for invalid JSON and 404 for an unknown path', async () => {
  expect((await requestToken('{')).status).toBe(400)
  expect((await fetch(url('/'))).status).toBe(404)
})

test.each([
  ['with another name as host', { host: 'elsewhere.example' }, 403],
  ['with a host that starts like the loopback address', { host: '127.0.0.1.elsewhere.example' }, 403],
  ['from a page of another origin', { origin: 'http://elsewhere.example' }, 403],
  ['from a page with an opaque origin', { origin: 'null' }, 403],
  ['with another loopback name as host', { host: `localhost:${server.port}` }, 200],
  ['from a page of its own origin', { origin: `http://127.0.0.1:${server.port}` }, 200],
])('a token request %s with %j returns %i', async (_, headers, status) => {
  // fetch does not allow setting `Host`.
  const sent = request({ port: server.port, host: '127.0.0.1', path: '/token', method: 'POST', headers }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await text(answer)
  expect([answer.statusCode, body.startsWith('eyJ')]).toEqual([status, status === 200])
})

test('serves the keys under any host name, for services in other containers', async () => {
  const sent = request({
    port: server.port,
    host: '127.0.0.1',
    path: '/jwks.json',
    headers: { host: 'token-issuer:8081' },
  })
  const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
  expect(JSON.parse(await text(answer))).toEqual(issuer.jwks)
})

test('connects to a remote issuer with the same interface', async () => {
  const { sign, ...about } = await connectTokenIssuer(url(''))
  const { issuer: name, audience, keyId, publicKeyPem, jwks } = issuer
  expect(about).toEqual({ issuer: name, audience, keyId, publicKeyPem, jwks })
  expect((await verify(await sign({ sub: 'a', scope: undefined }))).payload).not.toHaveProperty('scope')
  await expect(verify(await sign({}, { expiresIn: -60 }))).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' })
})
