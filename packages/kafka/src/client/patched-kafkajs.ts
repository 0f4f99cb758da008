import { createRequire } from 'node:module'
import type { PartitionShare } from '../port/kafka-port.ts'
import { encodeRecord } from './encode-record.ts'
import { createRecordDecoder, type FetchRequest, type FetchResponse } from './fetch/fetch-response.ts'
import { connectToSeed } from './seed-brokers.ts'

/** The version patched here. Review the decoders and the encoder of another version, and this file, before changing it. */
const patchedVersion = '2.2.4'

type FetchProtocol = (request: FetchRequest) => {
  readonly request: unknown
  readonly response: { decode(bytes: Buffer): Promise<FetchResponse>; parse(decoded: unknown): Promise<unknown> }
}
type FetchRequests = { protocol: ((options: { version: number }) => FetchProtocol) & { isPatched?: true } }

const oldestWithRecordBatches = 4
const shares = new Map<string, PartitionShare>()
const deletionListeners = new Set<(topic: string) => void>()

/** Limits what one fetch returns of each partition of a topic, for the whole process as the patch itself. */
export function limitShares(topics: readonly string[], shareOf: (topic: string) => PartitionShare): void {
  for (const topic of topics) shares.set(topic, shareOf(topic))
}

/** Calls the listener whenever a broker responds to a fetch that it does not know the topic. */
export function onTopicDeleted(listener: (topic: string) => void): () => void {
  deletionListeners.add(listener)
  return () => void deletionListeners.delete(listener)
}

type RequestQueue = {
  throttledUntil: number
  throttleCheckTimeoutId: NodeJS.Timeout | null
  readonly pending: readonly unknown[]
  checkPendingRequests(): void
}

/** kafkajs's own, except that it does not set a timer in the past, of which Node.js warns. */
function scheduleCheckPendingRequests(this: RequestQueue): void {
  if (this.throttleCheckTimeoutId) return
  const milliseconds = Math.max(this.throttledUntil - Date.now(), this.pending.length > 0 ? 10 : 1)
  this.throttleCheckTimeoutId = setTimeout(() => {
    this.throttleCheckTimeoutId = null
    this.checkPendingRequests()
  }, milliseconds)
}

type Decoder = { readInt32(): number; readBytes(length: number): Buffer }

/**
 * Replaces kafkajs's decoder of the records in fetch responses for the whole process. The original decompresses without a
 * limit, copies all headers of a record for each of them, fails at about 125,000 records per batch, and returns records of
 * aborted transactions. Also replaces its encoder of a record to produce and its choice of the first broker, and corrects a
 * timer of its request queue.
 *
 * @throws Error for another version of kafkajs
 */
export function patchKafkajs(): void {
  const require = createRequire(import.meta.url)
  checkKafkajsVersion(require('kafkajs/package.json').version)
  const requests: FetchRequests = require('kafkajs/src/protocol/requests/fetch')
  if (requests.protocol.isPatched) return
  const { protocol } = requests
  const decodeRecords = createRecordDecoder(
    (topic) => shares.get(topic),
    (topic) => {
      for (const listener of deletionListeners) listener(topic)
    },
  )
  const patched: FetchRequests['protocol'] = ({ version }) => {
    const create = protocol({ version })
    if (version < oldestWithRecordBatches) return create
    return (request) => {
      const made = create(request)
      const decode = async (bytes: Buffer) => {
        const response = await made.response.decode(bytes)
        await decodeRecords(response, request)
        return response
      }
      return { ...made, response: { ...made.response, decode } }
    }
  }
  patched.isPatched = true
  requests.protocol = patched
  // These two are loaded with the first response and the first request, of all versions.
  replaceModule(require, 'kafkajs/src/protocol/requests/fetch/v4/decodeMessages', async (decoder: Decoder) =>
    decoder.readBytes(Math.max(0, decoder.readInt32())),
  )
  replaceModule(require, 'kafkajs/src/protocol/recordBatch/record/v0', encodeRecord)
  Object.assign(require('kafkajs/src/network/requestQueue').prototype, { scheduleCheckPendingRequests })
  Object.assign(require('kafkajs/src/cluster/brokerPool').prototype, { connect: connectToSeed })
}

function replaceModule(require: NodeJS.Require, name: string, replacement: unknown): void {
  require(name)
  const loaded = require.cache[require.resolve(name)]
  if (loaded) loaded.exports = replacement
}

export function checkKafkajsVersion(version: unknown): void {
  if (version !== patchedVersion) {
    throw new Error(`Requires kafkajs ${patchedVersion}, found ${version}: Herald replaces parts of it`)
  }
}
