import { hashChildren } from '../hash/hashes.ts'
import type { TreeNode } from './tiles.ts'

/** Leaves from `from` to before `to`. */
export type Range = { readonly from: number; readonly to: number }

/** The number of leaves left of the root of a tree: the largest power of two below its size. The size is at least 2. */
function leftSize(size: number): number {
  let left = 1
  while (left * 2 < size) left *= 2
  return left
}

/** The subtrees whose hashes prove that a leaf is in a tree (RFC 9162, section 2.1.3.1), from the leaf to the root. */
export function inclusionPath(index: number, { from, to }: Range): Range[] {
  if (to - from === 1) return []
  const middle = from + leftSize(to - from)
  return index < middle
    ? [...inclusionPath(index, { from, to: middle }), { from: middle, to }]
    : [...inclusionPath(index, { from: middle, to }), { from, to: middle }]
}

/** The subtrees whose hashes prove that a tree begins with a smaller one (RFC 9162, section 2.1.4.1). */
export function consistencyPath(size: number, { from, to }: Range): Range[] {
  if (size === to) return from === 0 ? [] : [{ from, to }]
  const middle = from + leftSize(to - from)
  return size <= middle
    ? [...consistencyPath(size, { from, to: middle }), { from: middle, to }]
    : [...consistencyPath(size, { from: middle, to }), { from, to: middle }]
}

/** The perfect subtrees that make up a subtree of one of the paths, from the left. */
export function perfectSubtrees({ from, to }: Range): TreeNode[] {
  const nodes: TreeNode[] = []
  for (let at = from; at < to; ) {
    let [height, width] = [0, 1]
    while (at % (width * 2) === 0 && at + width * 2 <= to) [height, width] = [height + 1, width * 2]
    nodes.push({ height, index: at / width })
    at += width
  }
  return nodes
}

/** The hash of adjacent perfect subtrees, from the left and each smaller than the one before it. */
export function joinHashes(hashes: readonly Buffer[]): Buffer {
  return hashes.reduceRight((right, left) => hashChildren(left, right))
}
