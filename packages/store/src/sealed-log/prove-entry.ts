import { hashUser, proveInclusion, verifyInclusion } from '@herald/sealed-log'
import { toKey, toUuidBinary, uuidIn } from '../documents/binary.ts'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'
import type { Collections } from '../documents/collections.ts'
import { type EntryPage, hashAt, isDropped, isInRanges, pagesFrom } from '../documents/log-page-document.ts'
import { type CausalReads, createCausalReads } from '../recorded-order/causal-reads.ts'
import { userOf } from '../recorded-order/entry-leaf.ts'
import { createLogPages, rangesOf } from '../recorded-order/log-pages.ts'
import type { SignedCheckpoint } from '../sealing/checkpoints.ts'
import type { TreeNodes } from '../sealing/tree-nodes.ts'
import { createErasuresOfLog } from './erasures-of-log.ts'
import { createTileCache } from './tile-cache.ts'

export type ProveEntryDependencies = Pick<Collections, 'changeEntries' | 'logPages' | 'erasures' | 'erasureHeads'> & {
  readonly nodes: Pick<TreeNodes, 'readerOf'>
  readonly newestSigned: (subscriberId: string) => Promise<SignedCheckpoint | undefined>
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
  | { readonly kind: 'not-stored' }
  | { readonly kind: 'not-sealed' }

type User = Pick<ChangeEntryDocument, '_id' | 'userId' | 'userName' | 'userEmail'>

/** The page of an entry, and the place of the entry in it. */
type PageOfEntry = Pick<EntryPage, 'first' | 'salts' | 'userSalts' | 'userHashes' | 'leafHashes'> & {
  readonly at: number
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** Proves that an entry is in the newest checkpoint, with three reads by key or index at once, and then those of the tree. */
export function createProveEntry(dependencies: ProveEntryDependencies) {
  const { changeEntries, logPages, nodes, newestSigned } = dependencies
  const tileCache = createTileCache()

  async function findUser(reads: CausalReads, subscriberId: string, id: string): Promise<User | undefined> {
    const projection = { userId: 1, userName: 1, userEmail: 1 }
    const filter = { _id: toKey(subscriberId, id) } as never
    return (await reads.find<User>(changeEntries as never, { filter, projection, limit: 1 })).documents[0]
  }

  async function findPage(reads: CausalReads, subscriberId: string, id: string): Promise<PageOfEntry | undefined> {
    const ids = toUuidBinary(id)
    const filter = { ids, _id: pagesFrom(subscriberId, 0) } as never
    const projection = {
      ...{ _id: 0, first: 1, salts: 1, userSalts: 1, userHashes: 1, leafHashes: 1 },
      at: { $indexOfArray: ['$ids', ids] },
    }
    const query = { filter, projection, limit: 1, hint: 'ids' }
    return (await reads.find<PageOfEntry>(logPages as never, query)).documents[0]
  }

  return async (subscriberId: string, id: string): Promise<ProvenEntry> => {
    const reads = createCausalReads()
    const [checkpoint, user, found] = await Promise.all([
      newestSigned(subscriberId),
      findUser(reads, subscriberId, id),
      findPage(reads, subscriberId, id),
    ])
    if (user === undefined) return { kind: 'not-stored' }
    if (checkpoint === undefined) return { kind: 'not-sealed' }
    // Again, because the first read may have been older than the others: of a server that has just become primary.
    const page = found ?? (await findPage(reads, subscriberId, id))
    const leafIndex = page && page.first + page.at
    if (page === undefined || leafIndex === undefined || leafIndex >= checkpoint.size) return { kind: 'not-sealed' }
    const hashOf = (field: EntryPage['salts']) => hashAt(field, page.at)
    const [userSalt, userHash] = [hashOf(page.userSalts), hashOf(page.userHashes)]
    const { size, root } = checkpoint
    const leafHash = hashOf(page.leafHashes)
    const known = { first: page.first, leafHashes: page.leafHashes.buffer }
    const tiles = tileCache.readerOf(root, known, nodes.readerOf(subscriberId))
    const hashes = await proveInclusion(leafIndex, size, tiles.read)
    // Otherwise, something was altered, and whoever verifies the proof finds it.
    if (verifyInclusion({ index: leafIndex, leafHash, size, root, hashes })) tiles.keep()
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
    const isNamed = named.some((page) => isInRanges(rangesOf(page), leafIndex))
    return isNamed || createErasuresOfLog(dependencies, subscriberId).hasUnrecorded(reads, pseudonym)
  }
}
