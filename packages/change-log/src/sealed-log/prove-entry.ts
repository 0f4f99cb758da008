import { toKey, toUuidBinary, userReads, uuidIn } from '@herald/mongo'
import { hashBytes, hashUser, proveInclusion, type ReadTiles, type TileAddress, tileWidth } from '@herald/sealed-log'
import type { Binary, Collection } from 'mongodb'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'
import type { LogSources } from '../documents/collections.ts'
import {
  decodeBounds,
  type EntryPage,
  hashAt,
  isDropped,
  isInRanges,
  pagesFrom,
} from '../documents/log-page-document.ts'
import { type CheckpointDocument, nodeKey } from '../documents/sealed-log-document.ts'
import { type CausalReads, createCausalReads } from '../recorded-order/causal-reads.ts'
import { leafDataOf, userOf } from '../recorded-order/entry-leaf.ts'
import { createLogPages } from '../recorded-order/log-pages.ts'
import { isSigned, signedIn, toCheckpoint } from '../sealing/checkpoints.ts'
import type { TreeNodes } from '../sealing/tree-nodes.ts'
import { createErasuresOfLog } from './erasures-of-log.ts'

export type ProveEntryDependencies = Pick<
  LogSources,
  'changeEntries' | 'logPages' | 'logNodes' | 'logCheckpoints' | 'erasures' | 'erasureHeads'
> & {
  readonly nodes: Pick<TreeNodes, 'readerOf'>
}

type EntryProof = {
  readonly leafIndex: number
  readonly treeSize: number
  readonly salt: string
  readonly userSalt: string | null
  readonly userHash: string
  readonly leafHash: string
  readonly hashes: readonly string[]
  readonly checkpoint: string
}

export type ProvenEntry =
  | { readonly kind: 'proven'; readonly proof: EntryProof }
  /** `wasRecorded` if its hash is left, because it has expired. */
  | { readonly kind: 'not-stored'; readonly wasRecorded: boolean }
  | { readonly kind: 'not-sealed' }

type User = Pick<ChangeEntryDocument, '_id' | 'userId' | 'userName' | 'userEmail'>

/** The page of an entry, and the place of the entry in it. */
type PageOfEntry = Pick<EntryPage, 'first' | 'salts' | 'userSalts' | 'userHashes' | 'leafHashes'> & {
  readonly at: number
}

/** The result of the command. The fields of the page are beside the others, since MongoDB copies 100 KB to nest them. */
type Found = Partial<PageOfEntry> & {
  /** The user of the entry, as it is stored. */
  readonly user?: User
  /** The newest signed one. */
  readonly checkpoint?: CheckpointDocument
  /** The hashes of the first tile above the leaves: all that a log of less than 65,792 leaves has. */
  readonly nodes?: readonly Binary[]
}

const hasPage = (found: Found): found is Found & PageOfEntry => found.first !== undefined

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** Proves that an entry is in the newest checkpoint, with one command, or two for a long log. */
export function createProveEntry(dependencies: ProveEntryDependencies) {
  const { changeEntries, logPages, logNodes, logCheckpoints, nodes } = dependencies

  async function find(reads: CausalReads, subscriberId: string, id: string): Promise<Found> {
    const ids = toUuidBinary(id)
    const user = { _id: '$_id', userId: '$userId', userName: '$userName', userEmail: '$userEmail' }
    const union = ({ collectionName: coll }: Pick<Collection, 'collectionName'>, ...pipeline: readonly object[]) => ({
      $unionWith: { coll, pipeline },
    })
    const documents = await reads.aggregate<Found>(logPages, {
      pipeline: [
        { $match: { ids, _id: pagesFrom(subscriberId, 0) } },
        { $limit: 1 },
        {
          $project: {
            ...{ _id: 0, first: 1, salts: 1, userSalts: 1, userHashes: 1, leafHashes: 1 },
            at: { $indexOfArray: ['$ids', ids] },
          },
        },
        union(changeEntries, { $match: { _id: toKey(subscriberId, id) } }, { $project: { _id: 0, user } }),
        union(
          logCheckpoints,
          { $match: signedIn(subscriberId) },
          { $sort: { _id: -1 } },
          { $limit: 1 },
          { $project: { _id: 0, checkpoint: '$$ROOT' } },
        ),
        union(
          logNodes,
          { $match: { _id: { $gte: nodeKey(subscriberId, 1, 0), $lt: nodeKey(subscriberId, 1, tileWidth) } } },
          { $sort: { _id: 1 } },
          { $group: { _id: null, nodes: { $push: '$hash' } } },
        ),
      ],
      hint: 'ids',
    })
    return Object.assign({}, ...documents)
  }

  /** Reads tiles from the part of the tree that was found, and others from the store. */
  function readerOf(subscriberId: string, { first, leafHashes }: PageOfEntry, above: readonly Binary[]): ReadTiles {
    const readOthers = nodes.readerOf(subscriberId)
    const readTile = async (address: TileAddress): Promise<Uint8Array> => {
      const { level, index, width } = address
      const from = index * tileWidth - first
      if (level === 0 && from >= 0 && (from + width) * hashBytes <= leafHashes.length())
        return leafHashes.buffer.subarray(from * hashBytes, (from + width) * hashBytes)
      if (level === 1 && index === 0 && width <= above.length)
        return Buffer.concat(above.slice(0, width).map(({ buffer }) => buffer))
      return (await readOthers([address]))[0] as Uint8Array
    }
    return (addresses) => Promise.all(addresses.map(readTile))
  }

  return async (subscriberId: string, id: string): Promise<ProvenEntry> => {
    const reads = createCausalReads()
    let found = await find(reads, subscriberId, id)
    if (found.user === undefined) return { kind: 'not-stored', wasRecorded: hasPage(found) }
    // The page is read again: it may have been read before the entry was, or from a server that has just become primary.
    if (!hasPage(found)) found = await find(reads, subscriberId, id)
    const { user, checkpoint: newest, nodes: above = [] } = found
    const checkpoint = newest && toCheckpoint(newest)
    if (!hasPage(found) || user === undefined || !isSigned(checkpoint)) return { kind: 'not-sealed' }
    const page = found
    const leafIndex = page.first + page.at
    if (leafIndex >= checkpoint.size) return { kind: 'not-sealed' }
    const hashOf = (field: EntryPage['salts']) => hashAt(field, page.at)
    const [userSalt, userHash] = [hashOf(page.userSalts), hashOf(page.userHashes)]
    const { size } = checkpoint
    const leafHash = hashOf(page.leafHashes)
    const hashes = await proveInclusion(leafIndex, size, readerOf(subscriberId, page, above))
    const isErased =
      isDropped(userSalt) ||
      (!hashUser(userSalt, userOf(user)).equals(userHash) && (await wasErased(reads, user, leafIndex)))
    return {
      kind: 'proven',
      proof: {
        leafIndex,
        treeSize: size,
        salt: base64(hashOf(page.salts)),
        userSalt: isErased ? null : base64(userSalt),
        userHash: base64(userHash),
        leafHash: base64(leafHash),
        hashes: hashes.map(base64),
        checkpoint: checkpoint.note,
      },
    }
  }

  /** Whether an erasure has taken the user of an entry: its salt is not gone yet. Otherwise, the user was altered. */
  async function wasErased(reads: CausalReads, { _id, userId }: User, leafIndex: number): Promise<boolean> {
    const subscriberId = uuidIn(_id)
    const pseudonym = uuidIn(userId)
    const target = toKey(subscriberId, pseudonym)
    const named = await createLogPages(logPages, reads).findErasures(subscriberId, target)
    const isNamed = named.some(({ erasure }) => isInRanges(decodeBounds(erasure.leafIndexes), leafIndex))
    return isNamed || createErasuresOfLog(dependencies, subscriberId).hasUnrecorded(reads, pseudonym)
  }
}

/** Reads the data of a proven entry's leaf; `undefined` if the entry is not stored any more, or its user was erased. */
export async function readLeafData(
  changeEntries: Collection<ChangeEntryDocument>,
  { subscriberId, id, proof }: { readonly subscriberId: string; readonly id: string; readonly proof: EntryProof },
): Promise<Buffer | undefined> {
  if (proof.userSalt === null) return undefined
  const document = await changeEntries.findOne({ _id: toKey(subscriberId, id) }, userReads)
  const bytes = (text: string) => Buffer.from(text, 'base64')
  return document ? leafDataOf(document, { salt: bytes(proof.salt), userHash: bytes(proof.userHash) }) : undefined
}
