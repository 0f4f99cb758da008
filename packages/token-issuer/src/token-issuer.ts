import { randomUUID } from 'node:crypto'
import { exportJWK, exportPKCS8, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

const allScopes = 'notifications:create change-entries:read'

export type TokenIssuerOptions = {
  readonly issuer?: string
  readonly audience?: string
  /** Set to the id of another issuer's key to forge tokens of that issuer. */
  readonly keyId?: string
}

/** Claims by their names in the token. Those set to `undefined` are left out. */
export type TokenClaims = Record<string, unknown> & {
  sub?: string | undefined
  subscriber_id?: string | undefined
  name?: string | undefined
  picture?: string | undefined
  actor_type?: string | undefined
  scope?: string | undefined
}

export type TokenOverrides = {
  readonly issuer?: string
  readonly audience?: string
  readonly keyId?: string
  /** Seconds from now; negative for an expired token, `null` for one without expiry. */
  readonly expiresIn?: number | null
  /** Seconds from now. */
  readonly notBefore?: number
}

export type TokenIssuer = Awaited<ReturnType<typeof createTokenIssuer>>

/** Generates a key pair and signs tokens with it, valid ones by default and invalid ones on request. */
export async function createTokenIssuer(options: TokenIssuerOptions = {}) {
  const { issuer = 'https://issuer.invalid/', audience = 'herald', keyId = randomUUID() } = options
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const publicKeyPem = await exportSPKI(publicKey)
  const jwk = { ...(await exportJWK(publicKey)), kid: keyId, alg: 'ES256', use: 'sig' }

  return {
    issuer,
    audience,
    keyId,
    publicKeyPem,
    privateKeyPem: await exportPKCS8(privateKey),
    jwks: { keys: [jwk] },
    /** The settings of a service that accepts these tokens. */
    settings: { AUTH_PUBLIC_KEY: publicKeyPem, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience },

    /** By default the token is valid for an hour, has every scope, and belongs to a new user of a new subscriber. */
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
