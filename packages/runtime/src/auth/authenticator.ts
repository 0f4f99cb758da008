import type { JWTHeaderParameters, JWTPayload } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import * as errors from 'jose/errors'
import { jwtVerify } from 'jose/jwt/verify'
import { type Clock, systemClock } from '../time/clock.ts'
import type { AuthenticationSettings } from './authentication-settings.ts'
import { readBearerToken } from './bearer-token.ts'
import { createIdentityReader, type Identity } from './identity.ts'
import { describeAlgorithm, describeRefusal, describeShape } from './refusal.ts'
import { createRemoteKeys, type RemoteKeysOptions } from './remote-keys.ts'
import { createTokenCache } from './token-cache.ts'
import { createConfiguredKey, KeysUnavailable, TokenRefused } from './verification-keys.ts'

/** `absent`: no token; `invalid`: rejected; `unavailable`: no keys to verify with. The detail never quotes the token. */
export type Authentication =
  | { readonly ok: true; readonly identity: Identity }
  | { readonly ok: false; readonly reason: 'absent' | 'invalid'; readonly detail: string }
  | {
      readonly ok: false
      readonly reason: 'unavailable'
      readonly cause: unknown
      readonly retryAfterMs?: number | undefined
    }

export type Authenticator = ReturnType<typeof createAuthenticator>
export type AuthenticatorOptions = Omit<RemoteKeysOptions, 'uri' | 'clock'> & { readonly clock?: Clock }

const clockToleranceSeconds = 30

const toMediaType = (type: unknown) =>
  String(type)
    .toLowerCase()
    .replace(/^application\//, '')

/** Verifies JSON Web Tokens as RFC 8725 recommends. A key set is fetched when the first token arrives. */
export function createAuthenticator(
  settings: AuthenticationSettings,
  { clock = systemClock, ...fetching }: AuthenticatorOptions = {},
) {
  const { AUTH_JWKS_URI: uri, AUTH_PUBLIC_KEY: publicKey } = settings
  if (uri === undefined && publicKey === undefined) throw new Error('Authentication is not configured')
  const keys = publicKey ? createConfiguredKey(publicKey) : createRemoteKeys({ ...fetching, uri: uri ?? '', clock })
  const verified = createTokenCache({ currentKeys: keys.currentKeys, toleranceMs: clockToleranceSeconds * 1_000 })
  const accepted = new Set(settings.AUTH_TOKEN_TYPES.map(toMediaType))
  const readIdentity = createIdentityReader(settings)

  async function verify(token: string): Promise<JWTPayload> {
    const header = readHeader(token)
    if (!keys.algorithms.includes(header.alg)) throw new TokenRefused(describeAlgorithm(header.alg))
    let refusal: unknown = new errors.JWSSignatureVerificationFailed()
    for (const key of await keys.find(header)) {
      try {
        return await verifyWith(token, key)
      } catch (error) {
        refusal = error
        // Several keys may fit; an unusable one, such as one that is too short, does not keep the others from being tried.
        if (error instanceof errors.JOSEError && !(error instanceof errors.JWSSignatureVerificationFailed)) break
      }
    }
    throw refusal
  }

  async function verifyWith(token: string, key: Parameters<typeof jwtVerify>[1]): Promise<JWTPayload> {
    const { payload, protectedHeader } = await jwtVerify(token, key, {
      algorithms: [...keys.algorithms],
      issuer: settings.AUTH_ISSUER,
      audience: settings.AUTH_AUDIENCE,
      requiredClaims: ['exp'],
      clockTolerance: clockToleranceSeconds,
      currentDate: clock(),
    })
    const { typ } = protectedHeader
    if (typ === undefined || accepted.has(toMediaType(typ))) return payload
    throw new errors.JWTClaimValidationFailed('The type is not accepted', payload, 'typ', 'check_failed')
  }

  return {
    /** None with a configured key. */
    readinessChecks: keys.check ? [{ name: 'keys', check: keys.check }] : [],
    /** @param authorization all values of the `Authorization` header, unmodified */
    authenticate: async (authorization: readonly string[]): Promise<Authentication> => {
      const read = readBearerToken(authorization)
      if (!read.ok) return read
      const cached = verified.get(read.token, clock())
      if (cached !== undefined) return { ok: true, identity: cached }
      const misshapen = describeShape(read.token)
      if (misshapen !== undefined) return { ok: false, reason: 'invalid', detail: misshapen }
      const current = keys.currentKeys()
      try {
        const found = readIdentity(await verify(read.token))
        if (!found.ok) return { ...found, reason: 'invalid' }
        verified.set(read.token, found.identity, current)
        return found
      } catch (error) {
        return toRefusal(error)
      }
    },
  }
}

function readHeader(token: string): JWTHeaderParameters {
  try {
    return decodeProtectedHeader(token) as JWTHeaderParameters
  } catch {
    throw new errors.JWSInvalid('The header is malformed')
  }
}

function toRefusal(error: unknown): Authentication {
  if (error instanceof TokenRefused) return { ok: false, reason: 'invalid', detail: error.message }
  if (error instanceof KeysUnavailable) {
    return { ok: false, reason: 'unavailable', cause: error, retryAfterMs: error.retryAfterMs }
  }
  // An unusable key, such as one that is too short, is a problem of the key server and not of the token.
  if (!(error instanceof errors.JOSEError)) return { ok: false, reason: 'unavailable', cause: error }
  return { ok: false, reason: 'invalid', detail: describeRefusal(error) }
}
