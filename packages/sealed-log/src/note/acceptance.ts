import { readHash, sha256, toBase64 } from '../hash/hashes.ts'
import type { Checkpoint } from './checkpoint.ts'
import { keyNameOf } from './key-name.ts'
import { openNote, signNote } from './signed-note.ts'
import type { SigningKey } from './signing-key.ts'
import type { VerifierKey } from './verifier-key.ts'

/** An operator has accepted that a log was restored, and with it what a topic has of it up to some offsets. */
export type Acceptance = Checkpoint & {
  readonly subscriberId: string
  readonly topic: string
  /** By partition: records of the log ahead of these offsets are not compared any more. */
  readonly offsets: ReadonlyMap<number, bigint>
}

/** The root of a log that has no checkpoint (RFC 9162, section 2.1.1). */
export const emptyRoot = sha256(Buffer.alloc(0))

const titleOf = (origin: string) => `herald acceptance ${origin}`
const offsetLine = /^(\d{1,9}) (\d{1,19}) (\S{1,249})$/

/** A signed acceptance. Its first line is the origin of no log, so that nobody takes it for a checkpoint. */
export function signAcceptance(acceptance: Acceptance, origin: string, keys: readonly SigningKey[]): string {
  const { subscriberId, size, root, topic, offsets } = acceptance
  const ends = Array.from(offsets, ([partition, offset]) => `${partition} ${offset} ${topic}`)
  const lines = [titleOf(origin), subscriberId, size, toBase64(root), ...ends]
  return signNote(lines.map((line) => `${line}\n`).join(''), keyNameOf(origin, subscriberId), keys)
}

/** The subscriber whose log an acceptance names; `undefined` if the note is none of this origin. */
export function subscriberOfAcceptance(note: string, origin: string): string | undefined {
  const [title, subscriberId = ''] = note.split('\n', 2)
  return title === titleOf(origin) && /^[0-9a-f-]{36}$/.test(subscriberId) ? subscriberId : undefined
}

/** @returns `undefined` unless one of the keys has signed it */
export function openAcceptance(note: string, origin: string, keys: readonly VerifierKey[]): Acceptance | undefined {
  const subscriberId = subscriberOfAcceptance(note, origin)
  const opened = openNote(note, keys)
  if (subscriberId === undefined || !opened.ok) return undefined
  const [, , sizeText = '', rootText, ...ends] = opened.text.slice(0, -1).split('\n')
  const root = readHash(rootText)
  const size = /^(0|[1-9]\d{0,15})$/.test(sizeText) ? Number(sizeText) : -1
  const read = ends.map((line) => offsetLine.exec(line))
  const topic = read[0]?.[3]
  if (root === undefined || !Number.isSafeInteger(size) || size < 0 || topic === undefined) return undefined
  if (!read.every((found) => found?.[3] === topic)) return undefined
  const offsets = new Map(read.map((found) => [Number(found?.[1]), BigInt(found?.[2] ?? 0)]))
  return { subscriberId, size, root, topic, offsets }
}
