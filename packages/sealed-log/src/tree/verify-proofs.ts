import { hashChildren, isSameHash } from '../hash/hashes.ts'

type Hash = Uint8Array

export type InclusionProof = {
  readonly index: number
  readonly leafHash: Hash
  /** The size and the root of the tree. */
  readonly size: number
  readonly root: Hash
  readonly hashes: readonly Hash[]
}

export type ConsistencyProof = {
  readonly from: number
  readonly fromRoot: Hash
  readonly to: number
  readonly toRoot: Hash
  readonly hashes: readonly Hash[]
}

const half = (value: number) => Math.floor(value / 2)
const isOdd = (value: number) => value % 2 === 1

/** Whether a leaf is in a tree (RFC 9162, section 2.1.3.2). */
export function verifyInclusion({ index, leafHash, size, root, hashes }: InclusionProof): boolean {
  if (!isWhole(index) || !isWhole(size) || index >= size) return false
  let [at, last, hash] = [index, size - 1, leafHash]
  for (const sibling of hashes) {
    if (last === 0) return false
    if (isOdd(at) || at === last) {
      hash = hashChildren(sibling, hash)
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)]
    } else {
      hash = hashChildren(hash, sibling)
    }
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && isSameHash(hash, root)
}

/** Whether a tree begins with a smaller one (RFC 9162, section 2.1.4.2). */
export function verifyConsistency({ from, fromRoot, to, toRoot, hashes }: ConsistencyProof): boolean {
  if (!isWhole(from) || !isWhole(to) || from === 0 || from > to) return false
  if (from === to) return hashes.length === 0 && isSameHash(fromRoot, toRoot)
  const [first, ...others] = isPowerOfTwo(from) ? [fromRoot, ...hashes] : hashes
  if (first === undefined) return false
  let [at, last, older, newer] = [from - 1, to - 1, first, first]
  while (isOdd(at)) [at, last] = [half(at), half(last)]
  for (const hash of others) {
    if (last === 0) return false
    if (isOdd(at) || at === last) {
      ;[older, newer] = [hashChildren(hash, older), hashChildren(hash, newer)]
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)]
    } else {
      newer = hashChildren(newer, hash)
    }
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && isSameHash(older, fromRoot) && isSameHash(newer, toRoot)
}

const isWhole = (value: number) => Number.isSafeInteger(value) && value >= 0

function isPowerOfTwo(value: number): boolean {
  let power = 1
  while (power < value) power *= 2
  return power === value
}
