import { randomUUID } from 'node:crypto'
import type { GroupPosition, KafkaPort } from '@herald/kafka'
import { placeOf, type Store } from '@herald/store'
import { z } from 'zod'
import { findMissingTopics } from '#ingest/consume/topic-problems'
import { commandSettingsSchema, topicsReadBy } from '#ingest/settings/config'
import { type CommandContext, CommandFailure, defineCommand, exitCodes, from } from '../command-line/command.ts'
import { readPositionsOf, rewindFrom } from './find-restored.ts'

/** A process that was killed is a member, or holds its lease, for so long. */
const stopsWithinMs = 45_000
const lookEveryMs = 1_000
/** As seal holds it, which renews it each second. */
const sequencerLease = { name: 'sequencer', ms: 5_000 } as const

type Rewound = GroupPosition & { readonly to: bigint }

export const restoredCommand = defineCommand({
  name: 'restored',
  summary: 'After MongoDB was restored from a backup, with ingest and seal stopped: reads again what it lacks',
  settings: commandSettingsSchema,
  options: z.object({}),
  notes: [
    'Sets the group back, in all topics that it reads, to what MongoDB had stored by the backup and an hour before, and resets all event streams. Nothing is stored twice, so it can be repeated.',
  ],
  async run(_, { settings, openKafka, openStore, pause, print, note }) {
    const group = settings.KAFKA_GROUP_ID
    const topics = [...topicsReadBy(settings).keys()]
    const kafka = openKafka(settings)
    const store = openStore(settings)
    const missing = await from('Kafka', findMissingTopics(kafka, topics))
    if (missing.length > 0) throw new CommandFailure(missing)
    await until(() => isSealStopped(store), { what: 'Seal', pause, note })
    await until(async () => (await from('Kafka', kafka.countMembers(group))) === 0, { what: 'Ingest', pause, note })
    const positions = await from('Kafka', readPositionsOf(kafka, group, topics))
    const { since, rewound } = await findTargets(kafka, store, group, positions)
    await from('MongoDB', store.streamKeys.renew())
    note('Event streams: every client gets a reset')
    const offsets = rewound.map(({ topic, partition, to }) => ({ topic, partition, offset: String(to) }))
    if (offsets.length > 0) await from('Kafka', kafka.setOffsets(group, offsets))
    const noted = rewound.map(({ topic, partition, to }) => ({ topic, partition, offset: to }))
    await from('MongoDB', store.groupNotes.reset(group, noted))
    for (const topic of topics) print(`${topic}: ${countAgain(rewound, topic)} records are read again`)
    print(`The group ${group} continues ${since ? `at ${since.toISOString()}` : 'at the beginning'}`)
    note('Start ingest and seal. herald status shows the lag, herald log status the sealed logs that are stopped')
    return exitCodes.done
  },
})

const countAgain = (rewound: readonly Rewound[], topic: string) =>
  rewound.filter((one) => one.topic === topic).reduce((sum, { committed, to }) => sum + Number(committed - to), 0)

type Waiting = Pick<CommandContext, 'pause' | 'note'> & { readonly what: string }

async function until(isStopped: () => Promise<boolean>, { what, pause, note }: Waiting): Promise<void> {
  for (let waitedMs = 0; !(await isStopped()); waitedMs += lookEveryMs) {
    if (waitedMs >= stopsWithinMs)
      throw new CommandFailure(`${what} is running: stop it, and run herald restored again`)
    if (waitedMs === 0) note(`Waiting for ${what.toLowerCase()} to stop`)
    await pause(lookEveryMs)
  }
}

/** Whoever gets the lease of the sequencer works alone. */
async function isSealStopped({ leases }: Pick<Store, 'leases'>): Promise<boolean> {
  const { name, ms } = sequencerLease
  const holder = randomUUID()
  if (!(await from('MongoDB', leases.hold(name, { holder, ms })))) return false
  await from('MongoDB', leases.release(name, holder))
  return true
}

/**
 * How far each partition is to be set back: to what was noted, or to the first record of an hour before the last note if that is
 * earlier; without a note to its first record. Never ahead.
 */
async function findTargets(
  kafka: Pick<KafkaPort, 'offsetsSince'>,
  { groupNotes }: Pick<Store, 'groupNotes'>,
  group: string,
  positions: readonly GroupPosition[],
): Promise<{ readonly since: Date | undefined; readonly rewound: readonly Rewound[] }> {
  const notes = await from('MongoDB', groupNotes.read(group, positions))
  const since = notes.notedAt && rewindFrom(notes.notedAt)
  const starts = new Map<string, bigint>()
  for (const topic of new Set(positions.map((position) => position.topic))) {
    for (const { partition, from: start } of await from('Kafka', kafka.offsetsSince(topic, since ?? new Date(0))))
      starts.set(placeOf({ topic, partition }), start)
  }
  const rewound = positions.flatMap((position) => {
    if (position.commit === undefined) return []
    const noted = since ? (notes.offsets.get(placeOf(position)) ?? 0n) : 0n
    const candidates = [position.committed, starts.get(placeOf(position)) ?? 0n, noted]
    return [{ ...position, to: candidates.reduce((least, one) => (one < least ? one : least)) }]
  })
  return { since, rewound }
}
