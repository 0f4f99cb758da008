import { uuidToBytes } from '@herald/contracts'
import {
  createTree,
  formatVerifierKey,
  keyNameOf,
  openCheckpoint,
  rawKeyOf,
  readVerifierKey,
  signCheckpoint,
} from '@herald/sealed-log'
import { createSigningKey } from '@herald/sealed-log/testing'
import { createStore } from '@herald/store'
import { eventually } from '@herald/test-servers'
import { Binary, MongoClient } from 'mongodb'

const origin = 'log.example.com/herald'

/** A sequencer with it notices at once what is stored, and that it is stopped. */
const quickPace = { saveEveryMs: 20, maxAwaitTimeMS: 50, collectMs: 0 }

/** subscriber ‖ index, as the keys of pages and checkpoints. */
function indexKey(subscriberId: string, index: number, level?: number): Binary {
  const number = Buffer.alloc(8)
  number.writeBigUInt64BE(BigInt(index))
  return new Binary(Buffer.concat([uuidToBytes(subscriberId), Buffer.from(level === undefined ? [] : [level]), number]))
}

/** Assigns the order and seals logs when it is told to, and knows what the sealer's process writes. */
export function createTestSealer({ database, uri }: { database: string; uri: string }) {
  const store = createStore({ uri, database, applicationName: 'test', pace: quickPace })
  const client = new MongoClient(uri)
  const db = client.db(database)
  const collection = (name: string) => db.collection<{ _id: Binary | string }>(name)
  const key = createSigningKey()
  const publicKey = new Binary(rawKeyOf(key.publicKey))
  const verifierKeyOf = (subscriberId: string) => formatVerifierKey(keyNameOf(origin, subscriberId), key.publicKey)

  return {
    collection,
    verifierKeyOf,
    noteKey: () =>
      collection('log-state').updateOne(
        { _id: 'sealing' },
        { $set: { v: 1, origin, keys: [publicKey] } },
        { upsert: true },
      ),
    /** Runs a sequencer until the order has everything that is stored. */
    async record(): Promise<void> {
      let isStopped = false
      const running = store.sequencer.work(
        async () => !isStopped,
        () => {},
      )
      await eventually(async () => {
        const stored = await collection('change-entries').countDocuments()
        const recorded = (await collection('log-pages').distinct('ids')).length
        const open = await collection('erasures').countDocuments({ unrecorded: true, work: { $exists: false } })
        return recorded >= stored && open === 0
      })
      isStopped = true
      await running
    },
    async seal(subscriberId: string): Promise<number> {
      const nodes: object[] = []
      const tree = createTree({
        onFullTile: ({ level, index }, hash) =>
          nodes.push({ _id: indexKey(subscriberId, index, level + 1), v: 1, hash: new Binary(hash) }),
      })
      const range = { $gte: indexKey(subscriberId, 0), $lte: indexKey(subscriberId, Number.MAX_SAFE_INTEGER) }
      const pages = collection('log-pages').find({ _id: range }).sort({ _id: 1 })
      for await (const page of pages) {
        const { buffer } = (page as unknown as { leafHashes: Binary }).leafHashes
        for (let at = 0; at < buffer.length; at += 32) tree.append(buffer.subarray(at, at + 32))
      }
      const checkpoint = { size: tree.size(), root: tree.root() }
      await collection('log-nodes').deleteMany({ _id: { $gte: indexKey(subscriberId, 0, 0) } })
      if (nodes.length > 0) await collection('log-nodes').insertMany(nodes as never)
      const note = signCheckpoint(checkpoint, keyNameOf(origin, subscriberId), [key])
      const document = { v: 1, root: new Binary(checkpoint.root), sealedAt: new Date(), note }
      await collection('log-checkpoints').replaceOne({ _id: indexKey(subscriberId, checkpoint.size) }, document, {
        upsert: true,
      })
      return checkpoint.size
    },
    /** The checkpoint in a note that this sealer has signed. */
    open(subscriberId: string, note: string) {
      const verifier = readVerifierKey(verifierKeyOf(subscriberId))
      const opened = verifier.ok ? openCheckpoint(note, [verifier.key]) : verifier
      if (!opened.ok) throw new Error(opened.detail)
      return opened.checkpoint
    },
    async end(): Promise<void> {
      await store.close()
      await client.close()
    },
  }
}

/** Carries out all open erasures. */
export async function workOff({ erasures }: Pick<ReturnType<typeof createStore>, 'erasures'>): Promise<void> {
  for (const open of await erasures.open()) while (await erasures.step(open));
}
