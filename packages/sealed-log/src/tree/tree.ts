import { hashBytes } from '../hash/hashes.ts'
import { joinHashes, perfectSubtrees } from './subtrees.ts'
import { edgeTilesOf, hashPerfect, type ReadTiles, type Tile, tileWidth } from './tiles.ts'

/** A Merkle tree (RFC 9162) that grows. It holds only its edge: less than 256 hashes for each level of tiles. */
export type GrowingTree = {
  readonly size: () => number
  append(leafHash: Uint8Array): void
  /** The hash of the whole tree. The tree must have a leaf. */
  root(): Buffer
  /** The tiles at its edge, as {@link edgeTilesOf} its size. Together with all full ones they are the tree. */
  edgeTiles(): Tile[]
}

type Options = {
  /** Is called with each tile that has become full, and with its hash, which is one of the level above. */
  readonly onFullTile?: (tile: Tile, hash: Uint8Array) => void
}

export function createTree(options: Options = {}): GrowingTree {
  return growTree(0, [], options)
}

/**
 * Continues a tree whose tiles are stored, with at most one read.
 *
 * @param size 0 for a new tree
 */
export async function continueTree(size: number, readTiles: ReadTiles, options: Options = {}): Promise<GrowingTree> {
  const addresses = edgeTilesOf(size)
  const read = addresses.length === 0 ? [] : await readTiles(addresses)
  const edge = addresses.map((address, i) => ({ ...address, hashes: read[i] as Uint8Array }))
  return growTree(size, edge, options)
}

function growTree(start: number, edge: readonly Tile[], { onFullTile }: Options): GrowingTree {
  let size = start
  /** The hashes of the tile at the edge of each level. */
  const levels: Buffer[] = []
  for (const { level, width, hashes } of edge) levelAt(level).set(hashes.subarray(0, width * hashBytes))

  function levelAt(level: number): Buffer {
    while (levels.length <= level) levels.push(Buffer.allocUnsafe(tileWidth * hashBytes))
    return levels[level] as Buffer
  }

  /** @param count how many hashes the level has had before */
  function add(level: number, count: number, hash: Uint8Array): void {
    const hashes = levelAt(level)
    const place = count % tileWidth
    hashes.set(hash, place * hashBytes)
    if (place + 1 < tileWidth) return
    const index = Math.floor(count / tileWidth)
    const above = hashPerfect(hashes, 0, tileWidth)
    onFullTile?.({ level, index, width: tileWidth, hashes: Uint8Array.from(hashes) }, above)
    add(level + 1, index, above)
  }

  return {
    size: () => size,
    append(leafHash) {
      if (leafHash.length !== hashBytes) throw new RangeError(`A leaf hash has ${hashBytes} bytes`)
      add(0, size, leafHash)
      size++
    },
    root() {
      if (size === 0) throw new RangeError('An empty tree has no root in a checkpoint')
      const hashes = edgeTilesOf(size)
        .toReversed()
        .flatMap(({ level, width }) =>
          perfectSubtrees({ from: 0, to: width }).map(({ height, index }) =>
            hashPerfect(levelAt(level), index * 2 ** height, 2 ** height),
          ),
        )
      return joinHashes(hashes)
    },
    edgeTiles: () =>
      edgeTilesOf(size).map((address) => ({
        ...address,
        hashes: Uint8Array.from(levelAt(address.level).subarray(0, address.width * hashBytes)),
      })),
  }
}
