import { bytesToUuid, limits } from '@herald/contracts'
import { inBatches } from '@herald/mongo'
import { type FanOutDocument, mutedPositions, type RetractionNote } from '../documents/fan-out-document.ts'
import { bytesIn, decodePositions, type RecipientList, recipientAt } from '../documents/recipient-list.ts'

/** The recipients of each part, in order. A part may be empty. */
export type Parts = readonly (readonly string[])[]

/** The recipients at the positions of each part who are left to be told; `undefined` if there are none. */
export function toParts(
  list: RecipientList,
  named: Iterable<readonly number[]>,
  isLeft: (position: number) => boolean,
): Parts | undefined {
  const toId = (position: number) => bytesToUuid(recipientAt(list, position))
  const parts = Array.from(named, (part) => part.filter(isLeft).map(toId))
  return parts.some(({ length }) => length > 0) ? parts : undefined
}

/** Returns the recipients from whom a retraction retracted a notification, in the parts of all recipients that it names. */
export function toRetractedParts(
  { recipients, erased, muted }: Pick<FanOutDocument, 'recipients' | 'erased' | 'muted'>,
  { positions, perPart }: RetractionNote,
): Parts | undefined {
  const [list, own] = [bytesIn(recipients), [...decodePositions(bytesIn(positions))]]
  // Recipients who had muted it got no announcement of its creation either.
  const untold = new Set(mutedPositions({ muted }))
  for (const position of erased ? decodePositions(bytesIn(erased)) : []) untold.add(position)
  const isLeft = (position: number) => !untold.has(position)
  let start = 0
  const next = (count: number) => {
    start += count
    return own.slice(start - count, start)
  }
  const named = perPart && Array.from(decodePositions(bytesIn(perPart)), next)
  return toParts(list, named ?? inBatches(own, limits.announcedRecipients), isLeft)
}
