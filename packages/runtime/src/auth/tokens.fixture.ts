import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import { authenticationSettings } from './authentication-settings.ts'

const issuer = 'https://issuer.example'
export const audience = 'herald'
export const userId = '0A0B0C0D-1111-0111-8111-111111111111'
export const subscriberId = '22222222-2222-4222-8222-222222222222'
const now = new Date('2026-05-01T12:00:00Z')
export const clock = () => now

export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Settings without keys. */
export const rules = {
  AUTH_ISSUER: issuer,
  AUTH_AUDIENCE: audience,
  AUTH_USER_CLAIM: 'sub',
  AUTH_SUBSCRIBER_CLAIM: 'subscriber_id',
  AUTH_SCOPE_CLAIM: 'scope',
  AUTH_TOKEN_TYPES: ['JWT', 'at+jwt'],
}

/** The setting of a public key. */
export const publicKeySetting = (key: KeyObject) => ({
  AUTH_PUBLIC_KEY: authenticationSettings.AUTH_PUBLIC_KEY.parse(key.export({ type: 'spki', format: 'pem' }).toString()),
})

/** Seconds since 1970, `seconds` after the tests' current time. */
export const at = (seconds: number) => Math.floor(now.getTime() / 1000) + seconds

const validClaims: JWTPayload = {
  iss: issuer,
  aud: audience,
  sub: userId,
  exp: at(600),
  subscriber_id: subscriberId,
}

export type TokenOptions = {
  readonly typ?: string | undefined
  readonly alg?: string
  readonly kid?: string
  readonly key?: KeyObject | Uint8Array
}

/** Signs a token; claims set to `undefined` are left out. */
export function signToken(
  claims: JWTPayload = {},
  { alg = 'RS256', kid, typ, key = rsa.privateKey }: TokenOptions = {},
) {
  const payload = JSON.parse(JSON.stringify({ ...validClaims, ...claims }))
  return new SignJWT(payload)
    .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }), ...(typ === undefined ? {} : { typ }) })
    .sign(key)
}
