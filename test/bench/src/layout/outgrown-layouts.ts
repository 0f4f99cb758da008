import type { CreateCollectionOptions, IndexDescription } from 'mongodb'
import { type Layout, layouts } from './layouts.ts'

const [clustered, ordinary] = ['A', 'C'].map((name) => layouts.find((layout) => layout.name === name)) as [
  Layout,
  Layout,
]

/** WiredTiger's settings of the collection, and of its index of the unread. */
function withSettings(layout: Layout, name: string, about: string, collection: string, index = ''): Layout {
  const engine = (configString: string) => ({ storageEngine: { wiredTiger: { configString } } })
  const options: CreateCollectionOptions = { ...layout.options, ...(collection && engine(collection)) }
  const indexes = layout.indexes.map((plan): IndexDescription => ({ ...plan, ...(index && engine(index)) }))
  return { ...layout, name, about, options, indexes }
}

const pages = (kib: number) => `leaf_page_max=${kib}KB`
const small = 'allocation_size=512B'
const prefixes = 'prefix_compression=true,prefix_compression_min=4'

export const outgrownLayouts: readonly Layout[] = [
  withSettings(clustered, 'A', 'clustered, leaves of 32 KB', ''),
  withSettings(clustered, 'A16', 'clustered, leaves of 16 KB', pages(16)),
  withSettings(clustered, 'A16i', 'A16, and the index of the unread with leaves of 4 KB', pages(16), pages(4)),
  withSettings(clustered, 'A8', 'clustered, leaves of 8 KB', pages(8)),
  withSettings(clustered, 'A8i', 'A8, and the index of the unread with leaves of 4 KB', pages(8), pages(4)),
  withSettings(clustered, 'A8p', 'A8i with prefix compression of the keys', `${pages(8)},${prefixes}`, pages(4)),
  withSettings(clustered, 'A8n', 'A8i without block compression', `${pages(8)},block_compressor=none`, pages(4)),
  withSettings(clustered, 'A8s', 'A8 with blocks in multiples of 512 bytes', `${pages(8)},${small}`),
  withSettings(
    clustered,
    'A8is',
    'A8i with blocks in multiples of 512 bytes',
    `${pages(8)},${small}`,
    `${pages(4)},${small}`,
  ),
  withSettings(clustered, 'A4', 'clustered, leaves of 4 KB', pages(4)),
  withSettings(ordinary, 'C', 'ordinary, _id is the feed', ''),
]
