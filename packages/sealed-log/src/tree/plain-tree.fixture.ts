import { createHash } from 'node:crypto'

// The definitions of RFC 9162, section 2.1, word for word and without any of the code that is tested.

const sha256 = (...parts: readonly Uint8Array[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

function split(size: number): number {
  let k = 1
  while (k * 2 < size) k *= 2
  return k
}

/** MTH over hashes of leaves. */
export function plainRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0] as Buffer
  const k = split(leaves.length)
  return sha256(Buffer.of(1), plainRoot(leaves.slice(0, k)), plainRoot(leaves.slice(k)))
}

/** PATH(m, D_n). */
export function plainInclusion(m: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return []
  const k = split(leaves.length)
  return m < k
    ? [...plainInclusion(m, leaves.slice(0, k)), plainRoot(leaves.slice(k))]
    : [...plainInclusion(m - k, leaves.slice(k)), plainRoot(leaves.slice(0, k))]
}

/** PROOF(m, D_n). */
export const plainConsistency = (m: number, leaves: readonly Buffer[]) => subproof(m, leaves, true)

function subproof(m: number, leaves: readonly Buffer[], b: boolean): Buffer[] {
  const n = leaves.length
  if (m === n) return b ? [] : [plainRoot(leaves)]
  const k = split(n)
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), b), plainRoot(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), plainRoot(leaves.slice(0, k))]
}
