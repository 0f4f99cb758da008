import { uuidToBytes } from '@herald/contracts'
import { entryLeafData, hashLeaf, hashUser } from '@herald/sealed-log'
import { Binary } from 'mongodb'
import type { TestLogs } from './sealer.fixture.ts'

type Page = { readonly _id: Binary; readonly first: number; readonly leafHashes: Binary }
type Attacked = Pick<TestLogs, 'database' | 'query'>

/**
 * Does what somebody can do who only writes to MongoDB: changes the state in an entry, puts the leaf hash that follows from it into
 * the page (the salts are beside it), and removes whatever was sealed of the log, so that the new history could be sealed.
 */
export async function forgeEntry({ database, query }: Attacked, subscriberId: string, index: number): Promise<void> {
  const user = await query.newUser({ subscriberId, scope: 'change-entries:read' })
  const exported = (await user.fetch('/change-entries/sealed', {})).body.split('\n')
  const { entry, salt, userSalt } = JSON.parse(exported[index + 1] ?? '')
  const ofLog = uuidToBytes(subscriberId)
  const key = new Binary(Buffer.concat([ofLog, uuidToBytes(entry.id)]))
  await database
    .collection<{ _id: Binary }>('change-entries')
    .updateOne({ _id: key }, { $set: { afterState: '"forged"' } })

  const userHash = hashUser(Buffer.from(userSalt, 'base64'), entry.user)
  const forged = { salt: Buffer.from(salt, 'base64'), userHash, entry: { ...entry, afterState: 'forged' } }
  const pages = database.collection<Page>('log-pages')
  const own = keysOf(ofLog, await pages.find().sort({ _id: 1 }).toArray())
  const page = own.findLast(({ first }) => first <= index)
  if (page === undefined) throw new Error(`No page has the leaf ${index}`)
  const leafHashes = Buffer.from(page.leafHashes.buffer)
  leafHashes.set(hashLeaf(entryLeafData(forged)), 32 * (index - page.first))
  await pages.updateOne({ _id: page._id }, { $set: { leafHashes: new Binary(leafHashes) } })

  for (const name of ['log-checkpoints', 'log-nodes']) {
    const sealed = database.collection<{ _id: Binary }>(name)
    for (const { _id } of keysOf(ofLog, await sealed.find().toArray())) await sealed.deleteOne({ _id })
  }
}

const keysOf = <Found extends { readonly _id: Binary }>(ofLog: Uint8Array, all: readonly Found[]) =>
  all.filter(({ _id }) => Buffer.from(_id.buffer).subarray(0, 16).equals(ofLog))
