import { type Checkpoint, openCheckpoint, subscriberOfAcceptance, type VerifierKey } from '@herald/sealed-log'

export type ReadNote =
  | { readonly kind: 'checkpoint'; readonly subscriberId: string; readonly checkpoint: Checkpoint }
  /** A checkpoint under the name of the log that no known key has signed. */
  | { readonly kind: 'foreign'; readonly subscriberId: string }
  /** It has the form of an acceptance; who has signed it is not looked at. */
  | { readonly kind: 'acceptance'; readonly note: string }
  | { readonly kind: 'other' }

const form = /^(.+)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n\d{1,16}\n[A-Za-z0-9+/]{43}=\n/
/** With 32 cosignatures. */
const longestNote = 32_768

/** Reads what a topic has as the checkpoint of a log. */
export function readNote(
  value: Buffer | null,
  origin: string,
  keysOf: (subscriberId: string) => readonly VerifierKey[],
): ReadNote {
  const note = value === null || value.length > longestNote ? '' : value.toString()
  if (subscriberOfAcceptance(note, origin) !== undefined) return { kind: 'acceptance', note }
  const [, found, matched = ''] = form.exec(note) ?? []
  if (found !== origin) return { kind: 'other' }
  // A copy, because a part of a text keeps all of it in memory.
  const subscriberId = Buffer.from(matched).toString('latin1')
  const opened = openCheckpoint(note, keysOf(subscriberId))
  return opened.ok
    ? { kind: 'checkpoint', subscriberId, checkpoint: opened.checkpoint }
    : { kind: 'foreign', subscriberId }
}
