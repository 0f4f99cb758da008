import { inBatches, readLimits } from '@herald/mongo'
import type { Binary, Filter, FindOptions } from 'mongodb'
import type { FeedCollections } from '../documents/collections.ts'
import type { FanOutDocument } from '../documents/fan-out-document.ts'

/** Limits fan-outs that are read together, unless the first is larger: they have a note for each retraction. */
const bytesPerRead = 512 * 1024

/** Finds the keys of the first fan-outs, as many as may be read together. */
export async function keysWithin(
  fanOuts: FeedCollections['fanOuts'],
  where: Filter<FanOutDocument>,
  options: FindOptions & { readonly limit: number },
): Promise<Binary[]> {
  const projection = { bytes: { $bsonSize: '$$ROOT' } }
  const given = { ...readLimits, ...options, projection }
  const found = await fanOuts.find<{ _id: Binary; bytes: number }>(where, given).toArray()
  const [within = []] = inBatches(found, options.limit, { bytes: bytesPerRead, sizeOf: ({ bytes }) => bytes })
  return within.map(({ _id }) => _id)
}
