import type { PersonsCollections } from './collections.ts'
import type { EraseSteps } from './erase-steps.ts'
import { createErasedPersons } from './erased-persons.ts'
import { createErasures } from './erasures.ts'
import { createPersonKeys } from './person-keys.ts'

/** The persons of subscribers: who was erased, and erasures, whose steps those bring who store something of persons. */
export function createPersons(collections: PersonsCollections, now = () => new Date()) {
  const personKeys = createPersonKeys(collections.personKeys)
  return {
    erasedPersons: createErasedPersons(collections, personKeys),
    createErasures: (eraseSteps: EraseSteps) => createErasures({ ...collections, personKeys, eraseSteps, now }),
  }
}
