import { readHash, toBase64 } from '../hash/hashes.ts'
import { openNote, signNote } from './signed-note.ts'
import type { SigningKey } from './signing-key.ts'
import type { VerifierKey } from './verifier-key.ts'

/** The state of a log at a size. */
export type Checkpoint = {
  /** At least 1. */
  readonly size: number
  readonly root: Uint8Array
}

export type OpenedCheckpoint =
  | { readonly ok: true; readonly checkpoint: Checkpoint }
  | { readonly ok: false; readonly detail: string }

/**
 * A signed checkpoint (C2SP tlog-checkpoint).
 *
 * @param name origin of the log and name of the keys
 * @param keys one, or two during a rotation. The same keys always make the same note.
 */
export function signCheckpoint({ size, root }: Checkpoint, name: string, keys: readonly SigningKey[]): string {
  return signNote(`${name}\n${size}\n${toBase64(root)}\n`, name, keys)
}

/** Reads a checkpoint that one of the keys has signed. Its origin must be the name of the keys. */
export function openCheckpoint(note: string, keys: readonly VerifierKey[]): OpenedCheckpoint {
  const opened = openNote(note, keys)
  if (!opened.ok) return opened
  const [origin = '', sizeText = '', rootText = '', ...extensions] = opened.text.slice(0, -1).split('\n')
  const size = /^(0|[1-9][0-9]*)$/.test(sizeText) ? Number(sizeText) : -1
  const root = readHash(rootText)
  if (!Number.isSafeInteger(size) || size < 1 || root === undefined || extensions.includes('')) {
    return invalid('the note is no checkpoint: origin, size and root, one on each line')
  }
  if (!keys.some(({ name }) => name === origin)) {
    return invalid(`the checkpoint is of the log ${origin}, which is not the name of the key`)
  }
  return { ok: true, checkpoint: { size, root } }
}

const invalid = (detail: string) => ({ ok: false, detail }) as const
