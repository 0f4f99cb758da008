import { createdUpTo, keyRange, nextRange, toUuidBinary, writeAll } from '@herald/mongo'
import type { EraseSteps } from '@herald/persons'
import type { Collection, Filter } from 'mongodb'
import type { ChangeEntryDocument } from '../documents/change-entry-document.ts'

/** The phase of an erasure that concerns change entries: the user of an entry becomes a pseudonym. */
export const createEraseEntries = (
  changeEntries: Collection<ChangeEntryDocument>,
  documentsPerStep = 5_000,
): Pick<EraseSteps, 'changes'> => ({
  async changes({ subscriberId, personId, person }) {
    const userId = toUuidBinary(personId)
    const all = keyRange([subscriberId], createdUpTo(person.until))
    const { range, last } = await nextRange(changeEntries, all, {
      count: documentsPerStep,
      filter: { userId },
      hint: 'user',
    })
    const update = { $set: { userId: toUuidBinary(person.pseudonym), userName: '', userEmail: '' } }
    const filter = { userId, _id: range } as Filter<ChangeEntryDocument>
    const { changed } = await writeAll(changeEntries, [{ updateMany: { filter, update, hint: 'user' } }])
    return { erased: changed, after: last }
  },
})
