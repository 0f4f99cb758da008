import { createRequire } from 'node:module'
import type { PartitionShare } from '../consume/kafka-port.ts'
import { createFetchResponseDecoder, type FetchRequest } from './fetch/fetch-response.ts'

/** The version patched here. Review the decoders of another version, and this file, before changing it. */
const patchedVersion = '2.2.4'

type FetchProtocol = (request: FetchRequest) => {
  readonly request: unknown
  readonly response: { decode(bytes: Buffer): Promise<unknown>; parse(decoded: unknown): Promise<unknown> }
}
type FetchRequests = { protocol: ((options: { version: number }) => FetchProtocol) & { isPatched?: true } }

const oldestWithRecordBatches = 4
const shares = new Map<string, PartitionShare>()

/** Limits what one fetch returns of each partition of a topic, for the whole process as the patch itself. */
export function limitShares(topics: readonly string[], shareOf: (topic: string) => PartitionShare): void {
  for (const topic of topics) shares.set(topic, shareOf(topic))
}

/**
 * Replaces kafkajs's decoder of fetch responses for the whole process. The original decompresses without a limit, copies all
 * headers of a record for each of them, fails at about 125,000 records per batch, and returns records of aborted
 * transactions.
 *
 * @throws Error for another version of kafkajs
 */
export function patchKafkajs(): void {
  const require = createRequire(import.meta.url)
  checkVersion(require('kafkajs/package.json').version)
  const requests: FetchRequests = require('kafkajs/src/protocol/requests/fetch')
  if (requests.protocol.isPatched) return
  const { protocol } = requests
  const decode = createFetchResponseDecoder((topic) => shares.get(topic))
  const patched: FetchRequests['protocol'] = ({ version }) => {
    const create = protocol({ version })
    if (version < oldestWithRecordBatches) return create
    return (request) => {
      const made = create(request)
      return { ...made, response: { ...made.response, decode: (bytes) => decode(bytes, version, request) } }
    }
  }
  patched.isPatched = true
  requests.protocol = patched
}

export function checkVersion(version: unknown): void {
  if (version !== patchedVersion) {
    throw new Error(
      `Requires kafkajs ${patchedVersion}, found ${version}: Herald replaces its decoder of fetch responses`,
    )
  }
}
