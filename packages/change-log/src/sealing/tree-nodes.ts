import {
  binaryHeader,
  byKey,
  createOffsetReader,
  hex,
  inputOf,
  insertNew,
  runForBytes,
  StorageUnavailableError,
  userReads,
} from '@herald/mongo'
import { hashBytes, type ReadTiles, type TileAddress, tileWidth } from '@herald/sealed-log'
import { Binary, type Collection } from 'mongodb'
import { type LogNodeDocument, nodeKey } from '../documents/sealed-log-document.ts'
import type { LogLeaves } from './leaves.ts'
import { LogConflict } from './log-conflict.ts'

export type HashedNode = {
  /** At least 1. */
  readonly level: number
  readonly index: number
  readonly hash: Uint8Array
}

export type TreeNodes = ReturnType<typeof createTreeNodes>

/**
 * The hashes above the leaves. A tile of leaf hashes is read from the recorded order, and one above it is a range of nodes: so no
 * partial tile is stored, and every hash once.
 */
export function createTreeNodes(logNodes: Collection<LogNodeDocument>, leaves: Pick<LogLeaves, 'readHashes'>) {
  async function readTile(subscriberId: string, { level, index, width }: TileAddress): Promise<Uint8Array> {
    const first = index * tileWidth
    if (level === 0) return leaves.readHashes(subscriberId, first, first + width)
    const _id = { $gte: nodeKey(subscriberId, level, first), $lt: nodeKey(subscriberId, level, first + width) }
    const { collectionName: find, db } = logNodes
    const command = { find, filter: { _id }, sort: { _id: 1 }, limit: width, batchSize: width, ...userReads }
    const { documents } = await runForBytes(db, command, find)
    // After a failover, the new primary may not know all of them yet.
    if (documents.length < width)
      throw new StorageUnavailableError(`${documents.length} of ${width} hashes of a tile can be read`)
    return Buffer.concat(documents.map(hashIn))
  }

  return {
    /** A reader of one log's tiles. */
    readerOf(subscriberId: string): ReadTiles {
      return (addresses) => Promise.all(addresses.map((address) => readTile(subscriberId, address)))
    },
    /** @throws LogConflict if another hash is stored in the place of one */
    async insert(subscriberId: string, nodes: readonly HashedNode[]): Promise<void> {
      const documents = nodes.map(toDocument(subscriberId))
      const { duplicates, refused } = await insertNew(logNodes, documents)
      if (refused[0] !== undefined) throw new StorageUnavailableError(`MongoDB refused a node: ${refused[0].reason}`)
      if (duplicates === 0) return
      for (const level of new Set(nodes.map((node) => node.level))) {
        await compare(documents.filter((_, i) => nodes[i]?.level === level))
      }
    },
  }

  /** Compares nodes of one level, which are a range: MongoDB 6 scans a clustered collection for a list of keys. */
  async function compare(documents: readonly LogNodeDocument[]): Promise<void> {
    const keys = documents.map(({ _id }) => _id)
    const _id = { $gte: keys[0] as Binary, $lte: keys.at(-1) as Binary }
    const stored = byKey(await logNodes.find({ _id }, userReads).toArray())
    for (const { _id, hash } of documents) {
      const other = stored.get(hex(_id))
      // The node is not on a majority yet, and may never be.
      if (other === undefined) throw new StorageUnavailableError('A node that exists cannot be read yet')
      if (hex(other.hash) !== hex(hash))
        throw new LogConflict('Another hash of the tree is stored than the leaves give')
    }
  }
}

const readOffsets = createOffsetReader(['hash'])

/** From its bytes: the driver takes longer to parse the documents of a tile than MongoDB to find them. */
function hashIn(document: Buffer): Buffer {
  const input = inputOf(document)
  const at = (readOffsets(input, document.byteOffset)[0] as number) + binaryHeader
  return input.bytes.subarray(at, at + hashBytes)
}

const toDocument =
  (subscriberId: string) =>
  ({ level, index, hash }: HashedNode): LogNodeDocument => ({
    _id: nodeKey(subscriberId, level, index),
    v: 1,
    hash: new Binary(hash),
  })
