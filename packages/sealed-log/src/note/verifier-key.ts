import { createPublicKey, type KeyObject } from 'node:crypto'
import { readBase64, sha256 } from '../hash/hashes.ts'
import { isKeyName } from './key-name.ts'

/** A public key under a name, which verifies notes (C2SP signed-note). */
export type VerifierKey = {
  readonly name: string
  /** 4 bytes of a hash over name and key. */
  readonly id: Buffer
  readonly key: KeyObject
}

const keyBytes = 32
/** Types of signature: of logs, and of witnesses (C2SP tlog-cosignature). */
const ed25519 = 1
const cosignatureV1 = 4
const mlDsa = 6
/** Descriptions of the types. */
const typeNames: ReadonlyMap<number | undefined, string> = new Map([
  [ed25519, 'the Ed25519 key of a log'],
  [cosignatureV1, 'the cosignature/v1 key of a witness'],
  [mlDsa, 'the ML-DSA-44 cosignature key of a witness'],
])
/** An Ed25519 key in SPKI (RFC 8410) is these bytes and the key. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

type ReadVerifierKey =
  | { readonly ok: true; readonly key: VerifierKey }
  | { readonly ok: false; readonly detail: string }

/** Reads the key of a log: `<name>+<8 hex digits>+<base64 of 0x01 and the key>`. */
export function readVerifierKey(text: string): ReadVerifierKey {
  return readKey(text, ed25519, (found) => {
    const kind = typeNames.get(found)
    if (kind === undefined) return 'Must be an Ed25519 key'
    return `Must be the key of a log, and this is ${kind}: its name is not that of a log`
  })
}

/** Reads the key of a witness, which has the type 0x04. Keys of ML-DSA-44 are not verified yet. */
export function readWitnessKey(text: string): ReadVerifierKey {
  return readKey(text, cosignatureV1, (found) => {
    if (found === mlDsa) return 'ML-DSA-44 keys are not supported yet: use the cosignature/v1 key of this witness'
    const kind = typeNames.get(found) ?? 'another kind of key'
    return `Must be the cosignature/v1 key of a witness, and this is ${kind}`
  })
}

function readKey(text: string, type: number, whyNot: (found: number | undefined) => string): ReadVerifierKey {
  const [, name = '', id = '', base64 = ''] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/s.exec(text) ?? []
  const bytes = readBase64(base64)
  if (!isKeyName(name) || bytes === undefined || bytes.length < 2) {
    return invalid(
      'Must have the form <name>+<8 hex digits>+<base64>, as log.example.com/herald/<subscriber>+1a2b3c4d+AT…',
    )
  }
  if (bytes[0] !== type) return invalid(whyNot(bytes[0]))
  if (bytes.length !== 1 + keyBytes) return invalid('Must be an Ed25519 key')
  const raw = bytes.subarray(1)
  if (keyId(name, raw, type).toString('hex') !== id) {
    return invalid('Its 8 hex digits do not belong to its name and key: it was copied incompletely or altered')
  }
  return { ok: true, key: { name, id: Buffer.from(id, 'hex'), key: publicKeyOf(raw) } }
}

const invalid = (detail: string) => ({ ok: false, detail }) as const

export function formatVerifierKey(name: string, key: KeyObject): string {
  const raw = rawKeyOf(key)
  return `${name}+${keyId(name, raw).toString('hex')}+${Buffer.concat([Buffer.of(ed25519), raw]).toString('base64')}`
}

export function toVerifierKey(name: string, key: KeyObject): VerifierKey {
  return { name, id: keyId(name, rawKeyOf(key)), key }
}

function keyId(name: string, raw: Uint8Array, type = ed25519): Buffer {
  return sha256(Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), raw])).subarray(0, 4)
}

/** The Ed25519 key of these 32 bytes. */
export function publicKeyOf(raw: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: 'der', type: 'spki' })
}

/** The 32 bytes of an Ed25519 key. */
export function rawKeyOf(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(spkiPrefix.length)
}
