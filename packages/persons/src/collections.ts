import type { HeadDocument, KeyDocument } from '@herald/mongo'
import type { Binary, Db } from 'mongodb'
import type { ErasureDocument } from './erasure-document.ts'

export type PersonsCollections = ReturnType<typeof personsCollectionsOf>

/** One of them contains documents of two forms, and has a name for each. */
export function personsCollectionsOf(database: Db) {
  return {
    erasures: database.collection<ErasureDocument>('erasures'),
    erasureHeads: database.collection<HeadDocument>('erasures'),
    personKeys: database.collection<KeyDocument<Binary>>('person-keys'),
  }
}
