import { hashBytes, type ReadTiles, type TileAddress, tileWidth } from '@herald/sealed-log'

/** Tiles of 8 KB. */
const keptTiles = 256

/** Leaf hashes that were read already: from a leaf on. */
export type KnownHashes = { readonly first: number; readonly leafHashes: Uint8Array }

/**
 * Keeps tiles of trees whose proofs gave their root, under that root, so that they can only be those of this tree: most proofs
 * under one checkpoint need the same tiles, which are near its root and its end.
 */
export function createTileCache() {
  const kept = new Map<string, Uint8Array>()
  return {
    /** A reader of a tree's tiles for one proof. `keep` is called if the proof gives the root. */
    readerOf(root: Uint8Array, { first, leafHashes }: KnownHashes, readTiles: ReadTiles) {
      const tree = Buffer.from(root).toString('base64')
      const fresh = new Map<string, Uint8Array>()
      const readTile = async (address: TileAddress): Promise<Uint8Array> => {
        const { level, index, width } = address
        const from = (index * tileWidth - first) * hashBytes
        const to = from + width * hashBytes
        if (level === 0 && from >= 0 && to <= leafHashes.length) return leafHashes.subarray(from, to)
        const key = `${tree}/${level}/${index}`
        const found = kept.get(key) ?? Buffer.from((await readTiles([address]))[0] as Uint8Array)
        fresh.set(key, found)
        return found
      }
      return {
        read: ((addresses) => Promise.all(addresses.map(readTile))) satisfies ReadTiles,
        keep(): void {
          for (const [key, tile] of fresh) {
            // Behind all others, so that the one that was not used for longest is the first.
            kept.delete(key)
            kept.set(key, tile)
          }
          for (const key of kept.keys()) {
            if (kept.size <= keptTiles) break
            kept.delete(key)
          }
        },
      }
    },
  }
}
