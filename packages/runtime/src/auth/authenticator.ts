import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '../clock.ts'
import { readBearerToken } from './bearer-token.ts'
import { type Identity, readIdentity } from './identity.ts'
import { createRememberedTokens } from './remembered-tokens.ts'
import { KeysUnavailable, type VerificationKeys } from './verification-keys.ts'

/** `absent`: no bearer token was sent. `invalid`: one was, and is refused. The detail tells nothing of its content. */
export type Authentication =
  | { readonly ok: true; readonly identity: Identity }
  | { readonly ok: false; readonly reason: 'absent' | 'invalid'; readonly detail: string }
  | { readonly ok: false; readonly reason: 'unavailable'; readonly cause: unknown }

export type Authenticator = {
  /** @param authorization every `Authorization` field of the request, as it came */
  readonly authenticate: (authorization: readonly string[]) => Promise<Authentication>
}

export type TokenRules = {
  readonly issuer: string
  readonly audience: string
  readonly subscriberClaim: string
  readonly clock: Clock
}

const clockToleranceSeconds = 30

/** Verifies JSON Web Tokens by the rules of RFC 8725: pinned algorithms, issuer, audience and times. */
export function createTokenVerification(
  { algorithms, getKey, inForce }: VerificationKeys,
  { issuer, audience, subscriberClaim, clock }: TokenRules,
): Authenticator {
  const remembered = createRememberedTokens({ keysInForce: inForce, toleranceMs: clockToleranceSeconds * 1_000 })

  async function verify(token: string): Promise<JWTPayload> {
    const { payload } = await jwtVerify(token, getKey, {
      algorithms: [...algorithms],
      issuer,
      audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: clockToleranceSeconds,
      currentDate: clock.now(),
    })
    return payload
  }

  return {
    authenticate: async (authorization) => {
      const read = readBearerToken(authorization)
      if (!read.ok) return read
      const known = remembered.recall(read.token, clock.now())
      if (known !== undefined) return { ok: true, identity: known }
      const keys = inForce()
      try {
        const found = readIdentity(await verify(read.token), subscriberClaim)
        if (!found.ok) return { ...found, reason: 'invalid' }
        remembered.remember(read.token, found.identity, keys)
        return found
      } catch (error) {
        // A key that cannot be used, such as a short one, is the key server's fault as much as none.
        if (!(error instanceof errors.JOSEError)) return { ok: false, reason: 'unavailable', cause: causeOf(error) }
        return { ok: false, reason: 'invalid', detail: describeRefusal(error) }
      }
    },
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof KeysUnavailable ? error.cause : error
}

// Written here and not taken from the error, which may quote the token.
function describeRefusal(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim ${error.claim} is missing or not accepted`
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature does not fit the key'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The algorithm is not allowed'
  if (error instanceof errors.JWKSNoMatchingKey) return 'The key is not known'
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'The token does not say which key it is signed with'
  return 'The token is malformed'
}
