import type { Db } from 'mongodb'
import type { TestDatabase } from './test-database.fixture.ts'

type Place = { readonly uri: string; readonly database: string; readonly applicationName: string }
type Closable = { close(): Promise<void> }

/** Opens a store on the database of a test file, beside its collections; closing it closes both. */
export function onDatabase<Opened extends TestDatabase, Store extends Closable, Collections>(
  opened: Opened,
  open: (place: Place) => Store,
  collectionsOf: (database: Db) => Collections,
) {
  const { uri, name, applicationName, database } = opened
  const store = open({ uri, database: name, applicationName })
  return {
    ...opened,
    store,
    collections: collectionsOf(database),
    async close(): Promise<void> {
      await opened.close()
      await store.close()
    },
  }
}
