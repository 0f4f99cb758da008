import { consistencyPath, inclusionPath, joinHashes, perfectSubtrees, type Range } from './subtrees.ts'
import { hashNode, type ReadTiles, type TileAddress, tileOfNode } from './tiles.ts'

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

/** Reads the tiles of all subtrees at once: at most two for each level of tiles. */
async function hashSubtrees(subtrees: readonly Range[], size: number, readTiles: ReadTiles): Promise<Buffer[]> {
  const addresses = new Map<string, TileAddress>()
  const parts = subtrees.map((subtree) =>
    perfectSubtrees(subtree).map((node) => {
      const address = tileOfNode(node, size)
      const key = `${address.level}/${address.index}`
      addresses.set(key, address)
      return { node, key }
    }),
  )
  const read = addresses.size === 0 ? [] : await readTiles([...addresses.values()])
  const tiles = new Map([...addresses.keys()].map((key, i) => [key, read[i] as Uint8Array]))
  return parts.map((nodes) => joinHashes(nodes.map(({ node, key }) => hashNode(node, tiles.get(key) as Uint8Array))))
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new RangeError(message)
}
