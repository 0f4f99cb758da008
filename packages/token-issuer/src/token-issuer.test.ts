import { expect, test } from '@jest/globals'
import { importSPKI, type JWTVerifyOptions, jwtVerify } from 'jose'
import { createTokenIssuer } from './token-issuer.ts'

const issuer = await createTokenIssuer()
const key = await importSPKI(issuer.publicKeyPem, 'ES256')
const expected: JWTVerifyOptions = { issuer: issuer.issuer, audience: issuer.audience, algorithms: ['ES256'] }

const verify = (token: string) => jwtVerify(token, key, expected)

test('signs the given claims with an expiry of one hour', async () => {
  const claims = { sub: 'a', subscriber_id: 'b', name: 'c', picture: 'd', actor_type: 'ai user', scope: 'e' }
  const { payload } = await verify(await issuer.sign(claims))
  expect(payload).toMatchObject(claims)
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600)
})

test('signs a token of a new user and subscriber with every scope by default', async () => {
  const [one, other] = await Promise.all([issuer.sign(), issuer.sign()].map(async (token) => verify(await token)))
  expect(one?.payload.sub).toMatch(/^[0-9a-f-]{36}$/)
  expect(one?.payload.sub).not.toBe(other?.payload.sub)
  expect(one?.payload.subscriber_id).not.toBe(other?.payload.subscriber_id)
  expect(one?.payload.scope).toBe('notifications:create change-entries:read')
})

test('leaves out claims set to undefined', async () => {
  const { payload } = await verify(await issuer.sign({ sub: undefined }))
  expect(payload).not.toHaveProperty('sub')
})

test.each([
  ['has expired', { expiresIn: -60 }, 'ERR_JWT_EXPIRED'],
  ['is not valid yet', { notBefore: 60 }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
  ['is for another audience', { audience: 'other' }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
  ['is from another issuer', { issuer: 'other' }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
])('signs a token that %s', async (_what, overrides, code) => {
  await expect(verify(await issuer.sign({}, overrides))).rejects.toMatchObject({ code })
})

test('signs a token without expiry', async () => {
  expect((await verify(await issuer.sign({}, { expiresIn: null }))).payload).not.toHaveProperty('exp')
})

test('an issuer with the same name and key id forges tokens', async () => {
  const forger = await createTokenIssuer({ keyId: issuer.keyId })
  await expect(verify(await forger.sign())).rejects.toMatchObject({ code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' })
})
