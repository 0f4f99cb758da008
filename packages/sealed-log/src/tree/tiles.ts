import { hashBytes, hashChildren } from '../hash/hashes.ts'

/** Tiles have a height of 8 (C2SP tlog-tiles): each level of tiles is eight levels of the tree. */
const tileHeight = 8
export const tileWidth = 2 ** tileHeight

export type TileAddress = {
  /** A hash in a tile of this level covers `256 ** level` leaves. */
  readonly level: number
  /** The index of the tile within its level. */
  readonly index: number
  /** The number of hashes: 256 in a full tile, less in one at the edge of a tree. */
  readonly width: number
}

/** Consecutive hashes of one level, 32 bytes each. Its content follows from its address and the leaves, so it never changes. */
export type Tile = TileAddress & { readonly hashes: Uint8Array }

/**
 * Reads the hashes of tiles, in the order of the addresses. Of a wider tile at the same place, which contains the same hashes
 * and more, it may return all.
 *
 * @throws Error if one is not stored
 */
export type ReadTiles = (addresses: readonly TileAddress[]) => Promise<readonly Uint8Array[]>

/** The tiles at the edge of a tree, from the lowest level: those that are not full. */
export function edgeTilesOf(size: number): readonly TileAddress[] {
  const tiles: TileAddress[] = []
  for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / tileWidth)) {
    const width = count % tileWidth
    if (width > 0) tiles.push({ level, index: Math.floor(count / tileWidth), width })
  }
  return tiles
}

/** The tile of a tree that contains a node: the hash of `2 ** height` leaves. */
export function tileOfNode({ height, index }: TreeNode, size: number): TileAddress {
  const level = Math.floor(height / tileHeight)
  const first = index * 2 ** (height % tileHeight)
  const tile = Math.floor(first / tileWidth)
  const count = Math.floor(size / tileWidth ** level)
  return { level, index: tile, width: Math.min(tileWidth, count - tile * tileWidth) }
}

/** A perfect subtree: leaves from `index * 2 ** height` to before `(index + 1) * 2 ** height`. */
export type TreeNode = { readonly height: number; readonly index: number }

/** The hash of a node, from the hashes of its tile. */
export function hashNode({ height, index }: TreeNode, hashes: Uint8Array): Buffer {
  const width = 2 ** (height % tileHeight)
  const from = (index * width) % tileWidth
  return hashPerfect(hashes, from, width)
}

/** The hash over `width` hashes from the one at `from`. The width is a power of two. */
export function hashPerfect(hashes: Uint8Array, from: number, width: number): Buffer {
  return Buffer.from(viewPerfect(hashes, from, width))
}

/** Returns the hash of {@link hashPerfect}; a single hash is returned as a part of the tile. */
function viewPerfect(hashes: Uint8Array, from: number, width: number): Uint8Array {
  if (width === 1) return hashes.subarray(from * hashBytes, (from + 1) * hashBytes)
  const half = width / 2
  return hashChildren(viewPerfect(hashes, from, half), viewPerfect(hashes, from + half, half))
}
