import { toBase64 } from '../hash/hashes.ts'

type TlogProof = {
  readonly index: number
  /** Base64, from the leaf to the root. */
  readonly hashes: readonly string[]
  /** The signed note. */
  readonly checkpoint: string
  /** The data of the leaf: whoever verifies computes its hash. */
  readonly extra: Uint8Array
}

/** A proof that a leaf is in a checkpoint, in one text (C2SP tlog-proof). */
export function formatTlogProof({ index, hashes, checkpoint, extra }: TlogProof): string {
  const lines = ['c2sp.org/tlog-proof@v1', `extra ${toBase64(extra)}`, `index ${index}`, ...hashes, '']
  return `${lines.join('\n')}\n${checkpoint}`
}
