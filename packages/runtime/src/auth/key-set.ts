import type { CryptoKey, JSONWebKeySet, JWK, JWTHeaderParameters } from 'jose'
import * as errors from 'jose/errors'
import { createLocalJWKSet } from 'jose/jwks/local'
import { TokenRefused } from './verification-keys.ts'

/** Algorithms allowed with the keys of a JSON Web Key Set (RFC 8725, 3.1); no symmetric ones. */
export const remoteAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

export type KeySet = {
  /**
   * The keys that fit a token's header; none if the set lacks its `kid`.
   *
   * @throws TokenRefused if the set has a key of that `kid` that cannot verify the token
   */
  readonly find: (header: JWTHeaderParameters) => Promise<readonly CryptoKey[]>
}

/** Verifying a signature takes a part of a millisecond, and a set without key ids may have many keys. */
const mostCandidates = 4

/** @throws JOSEError if the value is no JSON Web Key Set (RFC 7517) */
export function toKeySet(json: unknown): KeySet {
  const findOne = createLocalJWKSet(json as JSONWebKeySet)
  const { keys } = json as JSONWebKeySet
  return {
    async find(header) {
      const { kid, alg } = header
      try {
        return [await findOne({ ...header, alg: alg ?? '' })]
      } catch (error) {
        if (error instanceof errors.JWKSMultipleMatchingKeys) return firstOf(error)
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        const named = kid === undefined ? undefined : keys.find((key) => key.kid === kid)
        if (named) throw new TokenRefused(describeUnusable(named))
        return []
      }
    },
  }
}

async function firstOf(candidates: AsyncIterable<CryptoKey>): Promise<CryptoKey[]> {
  const keys: CryptoKey[] = []
  for await (const key of candidates) {
    keys.push(key)
    if (keys.length === mostCandidates) break
  }
  return keys
}

const supportedCurves: Readonly<Record<string, readonly string[]>> = {
  RSA: [],
  EC: ['P-256', 'P-384', 'P-521'],
  OKP: ['Ed25519'],
}

function describeUnusable({ kty, crv, use }: JWK): string {
  const curves = supportedCurves[String(kty)]
  if (!curves) return `The signing key has the type ${shown(kty)}, which is not supported`
  if (curves.length > 0 && !curves.includes(String(crv))) {
    return `The signing key has the curve ${shown(crv)}, which is not supported`
  }
  return use === undefined || use === 'sig'
    ? 'The signing key is for another algorithm'
    : 'The key that the token names is not for signatures'
}

/** The details are sent to clients, and the set may contain anything. */
const shown = (value: unknown) => (/^[\w.-]{1,40}$/.test(String(value)) ? String(value) : 'of another form')
