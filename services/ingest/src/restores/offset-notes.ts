import type { GroupPosition, PartitionOffset } from '@herald/kafka'
import { type Logger, within } from '@herald/runtime'
import { type GroupNotes, placeOf, type Store } from '@herald/store'

/** Attached to the commits before which the offset was noted in MongoDB. Others, as a tool makes them, prove nothing. */
const mark = 'noted'

export type OffsetNotes = ReturnType<typeof createOffsetNotes>

export type OffsetNotesDependencies = {
  readonly notes: Pick<Store['groupNotes'], 'raise'>
  readonly group: string
  readonly readPositions: () => Promise<readonly GroupPosition[]>
  readonly logger: Pick<Logger, 'debug'>
  readonly limitMs?: number
}

/** Less than a member that leaves its group has for its last commit. */
const raisedWithinMs = 2_000

/**
 * Notes each offset in MongoDB before it is committed, so that a commit without its note means that MongoDB is an older copy.
 * Commits do not depend on it: without MongoDB they go out unmarked.
 */
export function createOffsetNotes(dependencies: OffsetNotesDependencies) {
  const { notes, group, readPositions, logger, limitMs = raisedWithinMs } = dependencies
  let noted: Promise<Map<string, bigint>> | undefined

  const readNoted = async () =>
    new Map((await readPositions()).flatMap((one) => (isNoted(one) ? [[placeOf(one), one.commit.offset]] : [])))

  const raise = async (offsets: readonly PartitionOffset[]): Promise<void> => {
    noted ??= readNoted()
    const known = await noted
    await notes.raise(
      group,
      offsets.map((one) => ({ ...one, offset: BigInt(one.offset), noted: known.get(placeOf(one)) })),
    )
    for (const one of offsets) known.set(placeOf(one), BigInt(one.offset))
  }

  return {
    /** To call when other members may have committed. */
    forget(): void {
      noted = undefined
    },
    /** Returns the offsets as they are to be committed. */
    async before(offsets: readonly PartitionOffset[]): Promise<readonly PartitionOffset[]> {
      try {
        await within(limitMs, raise(offsets))
        return offsets.map((one) => ({ ...one, metadata: mark }))
      } catch (error) {
        noted = undefined
        logger.debug({ err: error }, 'Could not note offsets before their commit')
        return offsets
      }
    },
  }
}

type Noted = GroupPosition & { readonly commit: { readonly offset: bigint } }
const isNoted = (position: GroupPosition): position is Noted => position.commit?.metadata === mark

/** The partitions of which the group has committed more than was noted: MongoDB was restored from a backup since. */
export const findAhead = (positions: readonly GroupPosition[], { offsets }: GroupNotes): readonly GroupPosition[] =>
  positions.filter((one) => isNoted(one) && (offsets.get(placeOf(one)) ?? -1n) < one.commit.offset)
