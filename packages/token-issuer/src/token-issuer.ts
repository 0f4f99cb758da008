import { randomUUID } from 'node:crypto'
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

export const allScopes = 'notifications:create change-entries:read'

export interface TokenIssuerOptions {
  issuer?: string
  audience?: string
  /** Two issuers with one key id: what one signs is a forgery to whoever trusts the other. */
  keyId?: string
}

/** Claims under the names they have in the token. One given as `undefined` is left out. */
export type TokenClaims = Record<string, unknown> & {
  sub?: string | undefined
  subscriber_id?: string | undefined
  name?: string | undefined
  picture?: string | undefined
  actor_type?: string | undefined
  scope?: string | undefined
}

export interface TokenOverrides {
  issuer?: string
  audience?: string
  keyId?: string
  /** Seconds from now; negative for a token that has expired, `null` for one that never does. */
  expiresIn?: number | null
  /** Seconds from now. */
  notBefore?: number
}

export type TokenIssuer = Awaited<ReturnType<typeof createTokenIssuer>>

/** Makes a key pair for this run, and signs tokens with it that Herald accepts, or refuses, as asked. */
export async function createTokenIssuer(options: TokenIssuerOptions = {}) {
  const { issuer = 'https://issuer.invalid/', audience = 'herald', keyId = randomUUID() } = options
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: keyId, alg: 'ES256', use: 'sig' }

  return {
    issuer,
    audience,
    keyId,
    publicKeyPem: await exportSPKI(publicKey),
    jwks: { keys: [jwk] },

    /** A token of an hour with every scope, for a new user of a new subscriber unless the claims say otherwise. */
    async sign(claims: TokenClaims = {}, overrides: TokenOverrides = {}): Promise<string> {
      const now = Math.floor(Date.now() / 1000)
      const { expiresIn = 3600, notBefore } = overrides
      const payload: Record<string, unknown> = {
        sub: randomUUID(),
        subscriber_id: randomUUID(),
        scope: allScopes,
        iss: overrides.issuer ?? issuer,
        aud: overrides.audience ?? audience,
        iat: now,
        ...(expiresIn === null ? {} : { exp: now + expiresIn }),
        ...(notBefore === undefined ? {} : { nbf: now + notBefore }),
        ...claims,
      }
      return new SignJWT(payload as JWTPayload)
        .setProtectedHeader({ alg: 'ES256', kid: overrides.keyId ?? keyId, typ: 'JWT' })
        .sign(privateKey)
    },
  }
}
