import { createPublicKey, type KeyObject } from 'node:crypto'

export type PublicKey = { readonly key: KeyObject; readonly algorithms: readonly string[] }

const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const curveAlgorithms: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
}

/** Reads a public key in PEM, and lists the JWS algorithms (RFC 7518, RFC 8037) of its family, the only ones allowed. */
export function readPublicKey(
  pem: string,
): ({ readonly ok: true } & PublicKey) | { readonly ok: false; readonly detail: string } {
  // Node.js would silently derive the public key; a private key in the settings is a mistake to report.
  if (pem.includes('PRIVATE KEY')) return { ok: false, detail: 'Must be a public key, not a private key' }
  const key = parse(pem)
  if (key === null) return { ok: false, detail: 'Must be a public key in PEM' }
  if ((key.asymmetricKeyDetails?.modulusLength ?? 2048) < 2048) {
    return { ok: false, detail: 'Must be an RSA key of 2048 bits or more' }
  }
  const algorithms = algorithmsOf(key)
  if (algorithms.length === 0) return { ok: false, detail: 'Must be an RSA, P-256, P-384, P-521 or Ed25519 key' }
  return { ok: true, key, algorithms }
}

function parse(pem: string): KeyObject | null {
  try {
    return createPublicKey(pem)
  } catch {
    return null
  }
}

function algorithmsOf(key: KeyObject): readonly string[] {
  if (key.asymmetricKeyType === 'rsa') return rsaAlgorithms
  if (key.asymmetricKeyType === 'ed25519') return ['EdDSA', 'Ed25519']
  if (key.asymmetricKeyType === 'ec') return curveAlgorithms[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? []
  return []
}
