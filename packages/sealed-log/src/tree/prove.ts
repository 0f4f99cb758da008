import { setImmediate as nextTurn } from 'node:timers/promises'
import { consistencyPath, inclusionPath, joinHashes, perfectSubtrees, type Range } from './subtrees.ts'
import { hashNode, type ReadTiles, tileOfNode } from './tiles.ts'

/** @throws RangeError unless 0 ≤ index < size */
export async function proveInclusion(index: number, size: number, readTiles: ReadTiles): Promise<Buffer[]> {
  check(index >= 0 && index < size, `${index} is not an index in a tree of ${size} leaves`)
  return hashSubtrees(inclusionPath(index, { from: 0, to: size }), size, readTiles)
}

/** @throws RangeError unless 1 ≤ from ≤ to */
export async function proveConsistency(from: number, to: number, readTiles: ReadTiles): Promise<Buffer[]> {
  check(from >= 1 && from <= to, `A tree of ${to} leaves is no continuation of one of ${from}`)
  return hashSubtrees(consistencyPath(from, { from: 0, to }), to, readTiles)
}

/** The root of a tree at a size that it has or had. */
export async function rootAt(size: number, readTiles: ReadTiles): Promise<Buffer> {
  check(size >= 1, 'An empty tree has no root in a checkpoint')
  const [root] = await hashSubtrees([{ from: 0, to: size }], size, readTiles)
  return root as Buffer
}

/** Reads the tiles of all subtrees at once: at most two for each level of tiles. What is there is hashed while the others are read. */
async function hashSubtrees(subtrees: readonly Range[], size: number, readTiles: ReadTiles): Promise<Buffer[]> {
  const tiles = new Map<string, Promise<Uint8Array>>()
  const parts = subtrees.map((subtree) =>
    perfectSubtrees(subtree).map((node) => {
      const address = tileOfNode(node, size)
      const key = `${address.level}/${address.index}`
      const tile = tiles.get(key) ?? readTiles([address]).then(([read]) => read as Uint8Array)
      tiles.set(key, tile)
      return { node, tile }
    }),
  )
  const all = Promise.all(tiles.values())
  // Hashing a tile takes the time of a read: the requests are on their way before.
  await Promise.race([nextTurn(), all])
  const hashed = parts.map((nodes) => Promise.all(nodes.map(async ({ node, tile }) => hashNode(node, await tile))))
  return (await Promise.all(hashed)).map(joinHashes)
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new RangeError(message)
}
