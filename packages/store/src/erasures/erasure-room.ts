import type { Collection } from 'mongodb'
import { createEraseFromFanOuts, type EraseFromFanOuts } from './erase-from-fan-outs.ts'
import { createErasedPersons, type ErasedPersons } from './erased-persons.ts'
import type { ErasureDocument, ErasureHead } from './erasure-document.ts'
import { createErasures, type Erasures } from './erasures.ts'
import { createPersonKeys, type PersonKeyDocument } from './person-keys.ts'
import { createEraseStep, type EraseStepDependencies } from './phases.ts'

export type ErasureRoomDependencies = Omit<EraseStepDependencies, 'eraseFromFanOuts'> & {
  readonly erasures: Collection<ErasureDocument>
  /** The same collection. */
  readonly heads: Collection<ErasureHead>
  readonly personKeys: Collection<PersonKeyDocument>
}

export type ErasureRoom = {
  readonly erasures: Erasures
  readonly erasedPersons: ErasedPersons
  readonly eraseFromFanOuts: EraseFromFanOuts
}

/** Erasing persons, and keeping them away. */
export function createErasureRoom(dependencies: ErasureRoomDependencies): ErasureRoom {
  const { erasures, heads } = dependencies
  const personKeys = createPersonKeys(dependencies.personKeys)
  const eraseFromFanOuts = createEraseFromFanOuts(dependencies)
  const eraseStep = createEraseStep({ ...dependencies, eraseFromFanOuts })
  return {
    erasures: createErasures({ erasures, heads, personKeys, eraseStep }),
    erasedPersons: createErasedPersons({ erasures, heads, personKeys }),
    eraseFromFanOuts,
  }
}
