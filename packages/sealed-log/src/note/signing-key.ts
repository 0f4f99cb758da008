import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

export type SigningKey = {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

type ReadSigningKey = { readonly ok: true; readonly key: SigningKey } | { readonly ok: false; readonly detail: string }

const create = 'openssl genpkey -algorithm ed25519'

/** Reads an Ed25519 private key in PKCS#8 PEM. The detail of a failure never contains the text. */
export function readSigningKey(pem: string): ReadSigningKey {
  const [, label] = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(pem) ?? []
  if (label === undefined) return invalid(`Must be a private key in PEM, as ${create} creates`)
  if (label === 'ENCRYPTED PRIVATE KEY') return invalid('Must not be encrypted')
  if (label.endsWith('PUBLIC KEY')) return invalid('Must be a private key, not a public key')
  if (label !== 'PRIVATE KEY') return invalid(`Must be in PKCS#8 (BEGIN PRIVATE KEY), not BEGIN ${label}`)
  const privateKey = parse(pem)
  if (privateKey === undefined) return invalid('Must be a private key in PKCS#8 PEM, and cannot be read')
  if (privateKey.asymmetricKeyType !== 'ed25519') {
    return invalid(`Must be an Ed25519 key, as ${create} creates, not ${privateKey.asymmetricKeyType}`)
  }
  return { ok: true, key: { privateKey, publicKey: createPublicKey(privateKey) } }
}

const invalid = (detail: string) => ({ ok: false, detail }) as const

function parse(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: pem, format: 'pem' })
  } catch {
    return undefined
  }
}
