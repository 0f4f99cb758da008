import { createTokenIssuer } from '@herald/token-issuer'
import { expect, test } from '@jest/globals'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { startKeyServer } from './key-server.ts'

const issuer = await createTokenIssuer()
const expected = { issuer: issuer.issuer, audience: issuer.audience, algorithms: ['ES256'] }

test('serves keys, counts requests and rotates keys', async () => {
  const server = await startKeyServer(issuer.jwks)
  try {
    const keys = createRemoteJWKSet(new URL(server.url), { cooldownDuration: 0 })
    await jwtVerify(await issuer.sign(), keys, expected)
    expect(server.requests()).toBe(1)
    const next = await createTokenIssuer()
    server.serve(next.jwks)
    await jwtVerify(await next.sign(), keys, expected)
    expect(server.requests()).toBe(2)
  } finally {
    await server.stop()
  }
})
