import { toBase64 } from '../hash/hashes.ts'

type AddCheckpoint = {
  /** The size up to which the witness knows the log; 0 if it has never seen it. */
  readonly oldSize: number
  /** The consistency proof from there. */
  readonly hashes: readonly Uint8Array[]
  /** The signed checkpoint. */
  readonly note: string
}

/** The body of a request to a witness (C2SP tlog-witness). */
export function formatAddCheckpoint({ oldSize, hashes, note }: AddCheckpoint): string {
  return `${[`old ${oldSize}`, ...hashes.map(toBase64), ''].join('\n')}\n${note}`
}

/** Reads the size in the answer of a witness that knows another one. @returns `undefined` if it is none */
export function readWitnessedSize(answer: string): number | undefined {
  const size = /^(0|[1-9]\d{0,15})\n$/.test(answer) ? Number(answer) : undefined
  return Number.isSafeInteger(size) ? size : undefined
}
