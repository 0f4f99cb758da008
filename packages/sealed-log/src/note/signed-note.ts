import { sign, verify } from 'node:crypto'
import { readBase64 } from '../hash/hashes.ts'
import { isKeyName } from './key-name.ts'
import type { SigningKey } from './signing-key.ts'
import { toVerifierKey, type VerifierKey } from './verifier-key.ts'

export type Signature = {
  readonly name: string
  readonly id: Buffer
  readonly signature: Buffer
}

export type ParsedNote = {
  /** With its last line end, which is signed too. */
  readonly text: string
  readonly signatures: readonly Signature[]
}

export type OpenedNote = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly detail: string }

const largestNote = 64 * 1024
// biome-ignore lint/suspicious/noControlCharactersInRegex: notes must not contain any but line ends
const controls = /[\u0000-\u0009\u000b-\u001f]/

/** A note with one signature of each key (C2SP signed-note). The text must end with a line end. */
export function signNote(text: string, name: string, keys: readonly SigningKey[]): string {
  const signatures = keys.map(({ privateKey, publicKey }) => {
    const { id } = toVerifierKey(name, publicKey)
    return `— ${name} ${Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]).toString('base64')}\n`
  })
  return `${text}\n${signatures.join('')}`
}

/**
 * The text of a note that at least one of the keys has signed. Signatures of other keys are ignored; a wrong one of a given
 * key makes the note invalid.
 */
export function openNote(note: string, keys: readonly VerifierKey[]): OpenedNote {
  const parsed = parseNote(note)
  if (typeof parsed === 'string') return { ok: false, detail: parsed }
  const data = Buffer.from(parsed.text)
  let isSigned = false
  for (const { name, id, signature } of parsed.signatures) {
    const known = keys.find((key) => key.name === name && key.id.equals(id))
    if (known === undefined) continue
    if (!verify(null, data, known.key, signature)) {
      return {
        ok: false,
        detail: `the signature of ${name}+${id.toString('hex')} is wrong: the note was altered or forged`,
      }
    }
    isSigned = true
  }
  if (isSigned) return { ok: true, text: parsed.text }
  const signers = parsed.signatures.map(({ name, id }) => `${name}+${id.toString('hex')}`)
  return { ok: false, detail: `the note is not signed by the key, but by ${signers.join(' and ')}` }
}

/** @returns what is wrong with it, if it is not a note */
export function parseNote(note: string): ParsedNote | string {
  if (note.length > largestNote) return 'a signed note has at most 64 KiB'
  if (controls.test(note) || !note.isWellFormed()) return 'a signed note contains no control characters but line ends'
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n')) {
    return 'a signed note is text, an empty line, and signatures, and ends with a line end'
  }
  const signatures = note
    .slice(end + 2, -1)
    .split('\n')
    .map(parseSignature)
  if (!signatures.every((signature) => signature !== undefined)) {
    return 'a line below the empty line is not a signature: “—”, name and Base64'
  }
  return { text: note.slice(0, end + 1), signatures }
}

/** Reads a line without its end. */
export function parseSignature(line: string): Signature | undefined {
  const [, name = '', base64 = ''] = /^— ([^ ]+) ([^ ]+)$/.exec(line) ?? []
  const bytes = readBase64(base64)
  if (!isKeyName(name) || bytes === undefined || bytes.length < 5) return undefined
  return { name, id: bytes.subarray(0, 4), signature: bytes.subarray(4) }
}
