import { startService } from '@herald/local-herald'
import type { TokenIssuer } from '@herald/token-issuer'
import type { Db } from 'mongodb'
import { randomIntegers } from '../measure.ts'
import { medianOf } from '../query/median-latency.ts'

const asked = 400

type Entry = { readonly id: string; readonly token: string }

/** The median times, in milliseconds, of the proof of an entry and of a page with one entry. */
export async function measureProofs(settings: NodeJS.ProcessEnv, database: Db, tokens: TokenIssuer) {
  const entries = await someEntries(database, tokens)
  const query = await startService('query', settings)
  try {
    const request = (pathOf: (entry: Entry) => string) => (index: number) => {
      const entry = entries[index] as Entry
      return fetch(query.url + pathOf(entry), { headers: { authorization: `Bearer ${entry.token}` } })
    }
    const proof = request(({ id }) => `/change-entries/${id}/proof`)
    const get = request(() => '/change-entries?limit=1')
    const indexes = entries.map((_, index) => index)
    // Verifies the tokens, and lets V8 compile both.
    await medianOf(indexes, proof)
    await medianOf(indexes, get)
    return { proof: await medianOf(indexes, proof), get: await medianOf(indexes, get) }
  } finally {
    await query.stop()
  }
}

async function someEntries(database: Db, tokens: TokenIssuer): Promise<Entry[]> {
  const below = randomIntegers(1)
  const found = await database
    .collection('change-entries')
    .aggregate([{ $sample: { size: asked } }, { $project: { _id: 1 } }])
    .toArray()
  const entries = found.map(({ _id }) => {
    const [subscriberId, id] = [uuidAt(_id.buffer, 0), uuidAt(_id.buffer, 16)]
    return { id, subscriberId, order: below(asked) }
  })
  return Promise.all(
    entries
      .toSorted((one, other) => one.order - other.order)
      .map(async ({ id, subscriberId }) => ({ id, token: await tokens.sign({ subscriber_id: subscriberId }) })),
  )
}

function uuidAt(bytes: Uint8Array, offset: number): string {
  const hex = Buffer.from(bytes.subarray(offset, offset + 16)).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
