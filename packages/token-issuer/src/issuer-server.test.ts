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

async function order(body?: string) {
  const answer = await fetch(url('/token'), { method: 'POST', ...(body === undefined ? {} : { body }) })
  return { status: answer.status, text: await answer.text() }
}
const verify = (token: string) => jwtVerify(token, keys, { issuer: issuer.issuer, audience: issuer.audience })

test('a token asked for without a word is good by the keys that are served', async () => {
  const { payload } = await verify((await order()).text)
  expect(payload.sub).toMatch(/^[0-9a-f-]{36}$/)
  expect(payload.scope).toBe('notifications:create change-entries:read')
})

test('a token holds the claims asked for, without those that are null', async () => {
  const { payload } = await verify((await order(JSON.stringify({ claims: { sub: 'a', scope: null } }))).text)
  expect(payload).toMatchObject({ sub: 'a' })
  expect(payload).not.toHaveProperty('scope')
})

test('a token that has expired can be asked for', async () => {
  const { text } = await order(JSON.stringify({ overrides: { expiresIn: -60 } }))
  await expect(verify(text)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' })
})

test('the issuer says who it is', async () => {
  const said = await (await fetch(url('/issuer'))).json()
  const { issuer: name, audience, keyId, publicKeyPem } = issuer
  expect(said).toEqual({ issuer: name, audience, keyId, publicKeyPem })
})

test('what is no JSON is refused, and so is another path', async () => {
  expect((await order('{')).status).toBe(400)
  expect((await fetch(url('/'))).status).toBe(404)
})

test.each([
  ['under a name that was pointed to this machine', { host: 'elsewhere.example' }, 403],
  ['under a name that begins like the loopback address', { host: '127.0.0.1.elsewhere.example' }, 403],
  ['by a page of another origin', { origin: 'http://elsewhere.example' }, 403],
  ['by a page without an origin', { origin: 'null' }, 403],
  ['by a program that uses another loopback name', { host: `localhost:${server.port}` }, 200],
  ['by a page of its own origin', { origin: `http://127.0.0.1:${server.port}` }, 200],
])('a token asked for %s', async (_, headers, status) => {
  // Not fetch, which sets `Host` itself.
  const sent = request({ port: server.port, host: '127.0.0.1', path: '/token', method: 'POST', headers }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await text(answer)
  expect([answer.statusCode, body.startsWith('eyJ')]).toEqual([status, status === 200])
})

test('keys are served under any name, for services in other containers', async () => {
  const sent = request({
    port: server.port,
    host: '127.0.0.1',
    path: '/jwks.json',
    headers: { host: 'token-issuer:8081' },
  })
  const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
  expect(JSON.parse(await text(answer))).toEqual(issuer.jwks)
})

test('an issuer elsewhere is used like one that is here', async () => {
  const { sign, ...about } = await connectTokenIssuer(url(''))
  const { issuer: name, audience, keyId, publicKeyPem, jwks } = issuer
  expect(about).toEqual({ issuer: name, audience, keyId, publicKeyPem, jwks })
  expect((await verify(await sign({ sub: 'a', scope: undefined }))).payload).not.toHaveProperty('scope')
  await expect(verify(await sign({}, { expiresIn: -60 }))).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' })
})
