import { execFile } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createKafka } from '@herald/kafka'
import { quietLogger } from '@herald/kafka/testing'
import { type StartedService, startService } from '@herald/local-herald'
import {
  createTree,
  keyNameOf,
  openCheckpoint,
  proveInclusion,
  readSigningKey,
  toVerifierKey,
  verifyInclusion,
} from '@herald/sealed-log'
import { createTopic } from '@herald/test-servers'
import kafkajs from 'kafkajs'
import { type Binary, type Db, MongoClient } from 'mongodb'
import { changeEntryAt, createTestQuery } from '../query.fixture.ts'

export const origin = 'log.example.com/herald'

export function newKey() {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const read = readSigningKey(pem)
  if (!read.ok) throw new Error(read.detail)
  const { publicKey } = read.key
  return {
    pem,
    signing: read.key,
    verifierOf: (subscriberId: string) => toVerifierKey(keyNameOf(origin, subscriberId), publicKey),
  }
}
export type TestKey = ReturnType<typeof newKey>

const present = newKey()
const seal = fileURLToPath(new URL('../../dist/seal.js', import.meta.url))

type ServerAddresses = { readonly mongodbUri?: string; readonly brokers?: readonly string[] }

/** Sealers on a database and a topic of their own, and what they have sealed and published. */
export async function createTestLogs(name: string, { mongodbUri, brokers }: ServerAddresses = {}) {
  const query = await createTestQuery(`seal-${name}`, mongodbUri === undefined ? {} : { MONGODB_URI: mongodbUri })
  const uri = mongodbUri ?? process.env.MONGODB_URI ?? ''
  const addresses = brokers ?? (process.env.KAFKA_BROKERS ?? '').split(',')
  const topic = `checkpoints-${name}-${process.pid}`
  const client = new MongoClient(uri)
  const database = client.db(query.database)
  const raw = new kafkajs.Kafka({ clientId: 'test', brokers: [...addresses], logLevel: kafkajs.logLevel.NOTHING })
  const processes: StartedService[] = []
  const settings = {
    PATH: process.env.PATH,
    MONGODB_URI: uri,
    MONGODB_DATABASE: query.database,
    LOG_SIGNING_KEY: present.pem,
    LOG_ORIGIN: origin,
    SEAL_INTERVAL_SECONDS: '1',
    KAFKA_CHECKPOINT_TOPIC: topic,
    KAFKA_BROKERS: addresses.join(','),
  }

  async function publish(messages: readonly { readonly key: string; readonly value: string | null }[]): Promise<void> {
    const producer = raw.producer({ allowAutoTopicCreation: false })
    await producer.connect()
    await producer.send({ topic, messages: [...messages] })
    await producer.disconnect()
  }

  return {
    query,
    store: query.store,
    database,
    topic,
    settings,
    key: present,
    publish,
    async prepare(): Promise<void> {
      await query.store.migrate()
      const admin = raw.admin()
      await admin.connect()
      const configEntries = [{ name: 'retention.ms', value: '-1' }]
      await createTopic(admin, { topic, numPartitions: 3, configEntries })
      await admin.disconnect()
    },
    async start(changes: Record<string, string> = {}, words: readonly string[] = []): Promise<StartedService> {
      const started = await startService('seal', { ...settings, ...changes }, { words })
      processes.push(started)
      return started
    },
    /** Runs `seal.js` to its end. */
    run(words: readonly string[], changes: Record<string, string> = {}) {
      return new Promise<{ code: number; output: string }>((resolve) => {
        const env = { ...settings, ADMIN_PORT: '0', ...changes }
        execFile(process.execPath, [seal, ...words], { env, timeout: 120_000 }, (error, stdout, stderr) => {
          resolve({ code: error ? Number(error.code ?? -1) : 0, output: stdout + stderr })
        })
      })
    },
    async storeEntries(subscriberId: string, count: number, changes = {}) {
      const entries = Array.from({ length: count }, () => changeEntryAt(Date.now(), subscriberId, changes))
      await query.store.changeEntries.insertNew(entries)
      return entries
    },
    newSubscriber: () => randomUUID(),
    /** The records of a log in the topic, in their order. */
    async records(subscriberId: string) {
      const found: { note: string; contentType: string; offset: string; partition: number }[] = []
      const kafka = createKafka({ brokers: addresses, clientId: 'test' }, quietLogger)
      await kafka.readToEnd(topic, async ({ key, value, headers, offset, partition }) => {
        if (key?.toString() !== subscriberId) return
        found.push({ note: String(value), contentType: String(headers['content-type']), offset, partition })
      })
      return found
    },
    checkpoints: (subscriberId: string) => readCheckpoints(database, subscriberId),
    leaves: (subscriberId: string) => readLeaves(database, subscriberId),
    metric: async ({ adminUrl }: StartedService, name: string) => {
      const text = await (await fetch(`${adminUrl}/metrics`, { headers: { connection: 'close' } })).text()
      const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? []
      return value === undefined ? undefined : Number(value)
    },
    async stop(): Promise<void> {
      for (const started of processes) {
        started.kill('SIGCONT')
        await started.stop()
      }
      await client.close()
      await query.stop()
    },
  }
}

export type TestLogs = Awaited<ReturnType<typeof createTestLogs>>

const rangeOf = (subscriberId: string) => {
  const prefix = Buffer.from(subscriberId.replaceAll('-', ''), 'hex')
  const end = (byte: number) => Buffer.concat([prefix, Buffer.alloc(8, byte)])
  return { $gte: end(0), $lte: end(0xff) } as never
}

/** In the order of their sizes. */
async function readCheckpoints(database: Db, subscriberId: string) {
  const found = await database
    .collection<{ _id: Binary; root: Binary; note?: string }>('log-checkpoints')
    .find({ _id: rangeOf(subscriberId) }, { sort: { _id: 1 }, readConcern: 'majority' })
    .toArray()
  return found.map(({ _id, root, note }) => ({
    size: Number(Buffer.from(_id.buffer).readBigUInt64BE(16)),
    root: Buffer.from(root.buffer),
    note,
  }))
}

/** The hashes of the leaves. Throws if the pages have gaps. */
async function readLeaves(database: Db, subscriberId: string): Promise<Buffer[]> {
  const pages = await database
    .collection<{ _id: Binary; first: number; count: number; leafHashes: Binary }>('log-pages')
    .find({ _id: rangeOf(subscriberId) }, { sort: { _id: 1 }, readConcern: 'majority' })
    .toArray()
  const leaves: Buffer[] = []
  for (const { first, count, leafHashes } of pages) {
    if (first !== leaves.length) throw new Error(`A page begins at ${first}, not at ${leaves.length}`)
    for (let at = 0; at < count; at++) leaves.push(Buffer.from(leafHashes.buffer.subarray(32 * at, 32 * at + 32)))
  }
  return leaves
}

export function rootOf(leaves: readonly Uint8Array[]): Buffer {
  const tree = createTree()
  for (const leaf of leaves) tree.append(leaf)
  return Buffer.from(tree.root())
}

/** Throws unless a note is a checkpoint that the key has signed, and each of the leaves is in it. Returns its size. */
export async function verifyNote(note: string, subscriberId: string, key: TestKey, leaves: readonly Buffer[]) {
  const opened = openCheckpoint(note, [key.verifierOf(subscriberId)])
  if (!opened.ok) throw new Error(opened.detail)
  const { size, root } = opened.checkpoint
  const readTiles = async (addresses: readonly { level: number; index: number; width: number }[]) =>
    addresses.map(({ level, index, width }) => {
      const span = 256 ** level
      const roots = Array.from({ length: width }, (_, at) => {
        const first = (index * 256 + at) * span
        return rootOf(leaves.slice(first, first + span))
      })
      return Buffer.concat(roots)
    })
  for (const [index, leafHash] of leaves.slice(0, size).entries()) {
    const hashes = await proveInclusion(index, size, readTiles)
    if (!verifyInclusion({ index, leafHash, size, root, hashes })) throw new Error(`Leaf ${index} is not in the tree`)
  }
  return size
}
