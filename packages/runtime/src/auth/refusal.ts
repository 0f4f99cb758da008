import * as errors from 'jose/errors'

/** Algorithms of keys that other programs sign with. Only these names of a token's header are repeated in a detail. */
const unsupported = ['ES256K', 'Ed448', 'ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87']

/** Why a token cannot be a signed JWT, before anything of it is decoded. */
export function describeShape(token: string): string | undefined {
  const parts = token.split('.').length
  if (parts === 3) return undefined
  if (parts === 5) return 'The token is encrypted (JWE); a signed one (JWS) is required'
  return 'The token is opaque, not a JWT; the provider issues a JWT when it is asked for one for this audience'
}

/** Why a token was rejected. The error's own message may quote the token. */
export function describeRefusal(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired'
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The claim ${error.claim} is ${error.reason === 'missing' ? 'missing' : 'not accepted'}`
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature is invalid'
  return 'The token is malformed'
}

/** Why an algorithm is refused. */
export function describeAlgorithm(algorithm: unknown): string {
  const name = unsupported.find((one) => one === algorithm)
  return name === undefined ? 'The algorithm is not allowed' : `The algorithm ${name} is not supported`
}
