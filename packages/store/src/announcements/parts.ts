import { bytesToUuid, limits } from '@herald/contracts'
import { type RecipientList, recipientAt } from '../fan-outs/recipient-list.ts'

/** The recipients of each part, in order. A part may be empty. */
export type Parts = readonly (readonly string[])[]

/**
 * Divides recipients into parts of {@link limits.announcedRecipients}. Those that are not left are missing from their part,
 * and the others keep theirs.
 *
 * @param named positions in the list, ascending
 * @returns `undefined` if nobody is left
 */
export function toParts(
  list: RecipientList,
  named: readonly number[],
  isLeft: (position: number) => boolean,
): Parts | undefined {
  const parts: string[][] = []
  let count = 0
  for (let start = 0; start < named.length; start += limits.announcedRecipients) {
    const left = named.slice(start, start + limits.announcedRecipients).filter(isLeft)
    parts.push(left.map((position) => bytesToUuid(recipientAt(list, position))))
    count += left.length
  }
  return count === 0 ? undefined : parts
}
