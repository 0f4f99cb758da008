import { createHeraldClient } from '@herald/client'
import { createTree, hashBytes } from '@herald/sealed-log'
import { Binary, type Db } from 'mongodb'

export type ComparedLog = {
  readonly database: Db
  readonly baseUrl: string
  readonly token: string
  readonly subscriberId: string
  /** How many were stored. */
  readonly entries: number
}

/** Follows a log from its beginning and compares it with what is stored: each entry once, and the root of its leaves. Throws if not. */
export async function compareLog({ database, baseUrl, token, subscriberId, entries }: ComparedLog): Promise<void> {
  const { changeEntries } = createHeraldClient({ baseUrl, token })
  const followed = new Set<string>()
  let count = 0
  for await (const page of changeEntries.followChanges()) {
    count += page.changeEntries.length
    for (const { id } of page.changeEntries) followed.add(id.replaceAll('-', ''))
    if (count >= entries) break
  }
  const stored = database
    .collection<{ _id: Binary }>('change-entries')
    .find({ _id: keysOf(subscriberId, 16) }, { projection: { _id: 1 } })
  const different = followed.size
  let storedCount = 0
  for await (const { _id } of stored) {
    storedCount++
    followed.delete(_id.toString('hex').slice(32))
  }
  const counts = { entries, stored: storedCount, followed: count, different, unknown: followed.size }
  if (new Set([entries, storedCount, count, different]).size > 1 || followed.size > 0) {
    throw new Error(`${subscriberId}: ${JSON.stringify(counts)}`)
  }

  const tree = createTree()
  const pages = database
    .collection<{ _id: Binary; leafHashes: Binary }>('log-pages')
    .find({ _id: keysOf(subscriberId, 8) }, { projection: { leafHashes: 1 }, sort: { _id: 1 } })
  for await (const { leafHashes } of pages) {
    for (let at = 0; at < leafHashes.length(); at += hashBytes)
      tree.append(leafHashes.buffer.subarray(at, at + hashBytes))
  }
  const [, size, root] = (await changeEntries.checkpoint()).split('\n')
  if (Number(size) !== entries || root !== tree.root().toString('base64')) {
    throw new Error(`${subscriberId}: the checkpoint of size ${size} has not the root of ${tree.size()} leaves`)
  }
}

/** The keys of a subscriber with so many bytes behind it. */
function keysOf(subscriberId: string, bytes: number) {
  const prefix = Buffer.from(subscriberId.replaceAll('-', ''), 'hex')
  const end = (byte: number) => new Binary(Buffer.concat([prefix, Buffer.alloc(bytes, byte)]))
  return { $gte: end(0), $lte: end(0xff) }
}
