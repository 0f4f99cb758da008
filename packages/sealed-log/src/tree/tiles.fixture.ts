import { type ReadTiles, type Tile, type TileAddress, tileWidth } from './tiles.ts'
import { createTree, type GrowingTree } from './tree.ts'

const keyOf = ({ level, index, width }: TileAddress) => `${level}/${index}/${width}`

/** Tiles in memory. A tile that is inserted again must be the same. */
export function createTileMemory() {
  const tiles = new Map<string, Uint8Array>()
  const insert = (tile: Tile) => {
    const known = tiles.get(keyOf(tile))
    if (known !== undefined && Buffer.compare(known, tile.hashes) !== 0) throw new Error(`Another tile ${keyOf(tile)}`)
    tiles.set(keyOf(tile), tile.hashes)
  }
  /** Finds a wider tile at the same place if the tile itself is not stored. */
  const find = ({ level, index, width }: TileAddress) => {
    for (let stored = width; stored <= tileWidth; stored++) {
      const found = tiles.get(keyOf({ level, index, width: stored }))
      if (found !== undefined) return found
    }
    throw new Error(`No tile ${keyOf({ level, index, width })}`)
  }
  const readTiles: ReadTiles = async (addresses) => addresses.map(find)
  return { tiles, insert, readTiles }
}

/** Appends hashes, and stores the tiles as a sealer does. */
export function seal(
  tree: GrowingTree,
  hashes: readonly Buffer[],
  memory: Pick<ReturnType<typeof createTileMemory>, 'insert'>,
) {
  for (const hash of hashes) tree.append(hash)
  for (const tile of tree.edgeTiles()) memory.insert(tile)
}

export function storedTree(hashes: readonly Buffer[]) {
  const memory = createTileMemory()
  const tree = createTree({ onFullTile: memory.insert })
  seal(tree, hashes, memory)
  return { tree, ...memory }
}
