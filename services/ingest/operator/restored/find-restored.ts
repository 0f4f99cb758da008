import type { GroupPosition, KafkaPort } from '@herald/kafka'
import type { Store } from '@herald/store'
import { findAhead } from '#ingest/restores/offset-notes'

const hourMs = 60 * 60 * 1_000

/** A backup that takes long has some collections of an earlier time than the notes. */
export const rewindFrom = (notedAt: Date) => new Date(notedAt.getTime() - hourMs)

export async function readPositionsOf(
  kafka: Pick<KafkaPort, 'createPositionReader'>,
  group: string,
  topics: readonly string[],
): Promise<readonly GroupPosition[]> {
  if (topics.length === 0) return []
  const reader = kafka.createPositionReader(group, topics)
  return reader.read().finally(() => reader.close())
}

/**
 * How far MongoDB is behind the group, if it was restored from a backup. The positions must have been read before: notes precede
 * commits.
 */
export async function findRestored(
  { groupNotes }: Pick<Store, 'groupNotes'>,
  group: string,
  positions: readonly GroupPosition[],
) {
  const notes = await groupNotes.read(group, positions)
  const ahead = findAhead(positions, notes)
  if (ahead.length === 0) return undefined
  const { notedAt } = notes
  return { partitions: ahead.length, notedAt, rewindFrom: notedAt && rewindFrom(notedAt) }
}
