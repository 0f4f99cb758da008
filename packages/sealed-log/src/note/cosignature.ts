import { verify } from 'node:crypto'
import { parseNote, parseSignature, type Signature } from './signed-note.ts'
import type { VerifierKey } from './verifier-key.ts'

/** A timestamp (8 bytes, big-endian) and an Ed25519 signature. */
const cosignatureBytes = 8 + 64
const latest = 2n ** 63n - 1n

export type Cosigners =
  | { readonly ok: true; readonly keys: readonly VerifierKey[] }
  | { readonly ok: false; readonly detail: string }

/**
 * Finds which witnesses have cosigned a checkpoint (C2SP tlog-cosignature, Ed25519). Signatures of other keys are ignored; a wrong
 * one of a given key makes the note invalid.
 */
export function findCosigners(note: string, keys: readonly VerifierKey[]): Cosigners {
  const parsed = parseNote(note)
  if (typeof parsed === 'string') return { ok: false, detail: parsed }
  const found = new Set<VerifierKey>()
  for (const signature of parsed.signatures) {
    const key = keyOf(signature, keys)
    if (key === undefined) continue
    if (!isCosignature(signature, parsed.text, key)) {
      return { ok: false, detail: `the cosignature of ${key.name} is wrong: the note was altered or forged` }
    }
    found.add(key)
  }
  return { ok: true, keys: [...found] }
}

/**
 * Reads the answer of a witness to a checkpoint: one or more signature lines (C2SP tlog-witness).
 *
 * @returns the line of this key with its end, or `undefined` if there is no valid one
 */
export function readCosignature(answer: string, note: string, key: VerifierKey): string | undefined {
  const parsed = parseNote(note)
  if (typeof parsed === 'string' || !answer.endsWith('\n')) return undefined
  const lines = answer.slice(0, -1).split('\n')
  const signatures = lines.map(parseSignature)
  if (signatures.includes(undefined)) return undefined
  const at = signatures.findIndex((one) => one && keyOf(one, [key]) && isCosignature(one, parsed.text, key))
  return at < 0 ? undefined : `${lines[at]}\n`
}

const keyOf = ({ name, id }: Signature, keys: readonly VerifierKey[]) =>
  keys.find((key) => key.name === name && key.id.equals(id))

function isCosignature({ signature }: Signature, text: string, { key }: VerifierKey): boolean {
  if (signature.length !== cosignatureBytes) return false
  const time = signature.readBigUInt64BE(0)
  if (time < 1n || time > latest) return false
  return verify(null, Buffer.from(`cosignature/v1\ntime ${time}\n${text}`), key, signature.subarray(8))
}
