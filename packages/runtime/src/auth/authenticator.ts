import type { JWTPayload } from 'jose'
import * as errors from 'jose/errors'
import { jwtVerify } from 'jose/jwt/verify'
import { type Clock, systemClock } from '../time/clock.ts'
import type { AuthenticationSettings } from './authentication-settings.ts'
import { readBearerToken } from './bearer-token.ts'
import { type Identity, readIdentity } from './identity.ts'
import { createTokenCache } from './token-cache.ts'
import { createConfiguredKey, createRemoteKeys, KeysUnavailable, type RemoteKeysOptions } from './verification-keys.ts'

/** `absent`: no token; `invalid`: rejected; `unavailable`: no keys to verify with. The detail never quotes the token. */
export type Authentication =
  | { readonly ok: true; readonly identity: Identity }
  | { readonly ok: false; readonly reason: 'absent' | 'invalid'; readonly detail: string }
  | { readonly ok: false; readonly reason: 'unavailable'; readonly cause: unknown }

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
  const { algorithms, getKey, currentKeys } = publicKey
    ? createConfiguredKey(publicKey)
    : createRemoteKeys({ ...fetching, uri: uri ?? '', clock })
  const verified = createTokenCache({ currentKeys, toleranceMs: clockToleranceSeconds * 1_000 })
  const accepted = new Set(settings.AUTH_TOKEN_TYPES.map(toMediaType))

  async function verify(token: string): Promise<JWTPayload> {
    const { payload, protectedHeader } = await jwtVerify(token, getKey, {
      algorithms: [...algorithms],
      issuer: settings.AUTH_ISSUER,
      audience: settings.AUTH_AUDIENCE,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: clockToleranceSeconds,
      currentDate: clock(),
    })
    const { typ } = protectedHeader
    if (typ === undefined || accepted.has(toMediaType(typ))) return payload
    throw new errors.JWTClaimValidationFailed('The type is not accepted', payload, 'typ')
  }

  return {
    /** @param authorization all values of the `Authorization` header, unmodified */
    authenticate: async (authorization: readonly string[]): Promise<Authentication> => {
      const read = readBearerToken(authorization)
      if (!read.ok) return read
      const cached = verified.get(read.token, clock())
      if (cached !== undefined) return { ok: true, identity: cached }
      const keys = currentKeys()
      try {
        const found = readIdentity(await verify(read.token), settings.AUTH_SUBSCRIBER_CLAIM)
        if (!found.ok) return { ...found, reason: 'invalid' }
        verified.set(read.token, found.identity, keys)
        return found
      } catch (error) {
        // An unusable key, such as one that is too short, is a problem of the key server and not of the token.
        if (!(error instanceof errors.JOSEError))
          return { ok: false, reason: 'unavailable', cause: error instanceof KeysUnavailable ? error.cause : error }
        return { ok: false, reason: 'invalid', detail: describeRefusal(error) }
      }
    },
  }
}

// The error's own message may quote the token.
function describeRefusal(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim ${error.claim} is missing or not accepted`
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature is invalid'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The algorithm is not allowed'
  if (error instanceof errors.JWKSNoMatchingKey) return 'The signing key is unknown'
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'The token has no key id, and several keys could match'
  return 'The token is malformed'
}
