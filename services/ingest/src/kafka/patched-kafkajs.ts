import { createRequire } from 'node:module'
import { createFetchResponseDecoder, type FetchRequest } from './fetch/fetch-response.ts'

/** The version that is patched here. Another one has to be looked at first: its decoders, and this file. */
const patchedVersion = '2.2.4'

type FetchProtocol = (request: FetchRequest) => {
  readonly request: unknown
  readonly response: { decode(bytes: Buffer): Promise<unknown>; parse(decoded: unknown): Promise<unknown> }
}
type FetchRequests = { protocol: ((options: { version: number }) => FetchProtocol) & { isPatched?: true } }

const oldestWithRecordBatches = 4

/**
 * Puts Herald's decoder of fetch answers in the place of kafkajs's, for the whole process. Theirs decompresses whatever
 * comes, copies all headers of a record for each of them, fails at some 125,000 records, and hands out records of aborted
 * transactions.
 *
 * @throws Error for a kafkajs of another version
 */
export function patchKafkajs(): void {
  const require = createRequire(import.meta.url)
  checkVersion(require('kafkajs/package.json').version)
  const requests: FetchRequests = require('kafkajs/src/protocol/requests/fetch')
  if (requests.protocol.isPatched) return
  const { protocol } = requests
  const decode = createFetchResponseDecoder()
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
    throw new Error(`kafkajs ${patchedVersion} is needed, and not ${version}: Herald replaces its decoder of fetches`)
  }
}
