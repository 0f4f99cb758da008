import type { IncomingRecord, KafkaPort, OffsetRange } from '@herald/kafka'
import { within } from '@herald/runtime'

/** Kafka answers within seconds, also while a partition moves; a broker that was frozen may never answer. */
const stalledAfterMs = 60_000
const askMs = 30_000
const recordsPerHold = 1_000

export type TopicReader = ReturnType<typeof createTopicReader>

/** Where a topic ends, by partition. */
export type Offsets = ReadonlyMap<number, bigint>

/** Reads a topic to the end that it has at that moment. */
export function createTopicReader(
  kafka: Pick<KafkaPort, 'readToEnd' | 'offsetsSince' | 'describeTopics'>,
  topic: string,
) {
  async function ranges(): Promise<readonly OffsetRange[]> {
    try {
      return await within(askMs, kafka.offsetsSince(topic, new Date(0)))
    } catch (error) {
      // The client only says that a partition is not there.
      const found = await within(askMs, kafka.describeTopics([topic])).catch(() => undefined)
      if (found?.has(topic) === false) throw new Error(`The topic ${topic} does not exist`, { cause: error })
      throw error
    }
  }
  return {
    async ends(): Promise<Map<number, bigint>> {
      return new Map((await ranges()).map(({ partition, end }) => [partition, end]))
    },
    /**
     * Passes on the records from these offsets on, in the order of each partition.
     *
     * @param hold is asked in between; the reading ends without an error if it resolves to `false`
     * @returns the end; `recreated` if the topic ends ahead of an offset
     */
    async read(
      from: Offsets,
      each: (record: IncomingRecord) => void,
      hold: () => Promise<boolean> = async () => true,
    ): Promise<Map<number, bigint> | 'recreated' | 'stopped'> {
      const found = await ranges()
      if (found.some(({ partition, end }) => (from.get(partition) ?? 0n) > end)) return 'recreated'
      const starts = new Map<number, bigint>()
      for (const range of found) {
        const known = from.get(range.partition)
        starts.set(range.partition, known !== undefined && known > range.from ? known : range.from)
      }
      const ends = new Map(found.map(({ partition, end }) => [partition, end]))
      if (found.every(({ partition, end }) => (starts.get(partition) ?? 0n) >= end)) return ends
      let count = 0
      let isGivenUp = false
      const isHeld = await untilStalled(
        () => count,
        async (stop) => {
          const handle = async (record: IncomingRecord) => {
            if (isGivenUp) return 'stop'
            // Records beyond the end that was found belong to the next reading.
            if (BigInt(record.offset) < (ends.get(record.partition) ?? 0n)) each(record)
            if (++count % recordsPerHold === 0 && !(await hold())) return stop()
            return undefined
          }
          await kafka.readToEnd(topic, handle, { offsets: starts })
        },
      ).finally(() => {
        isGivenUp = true
      })
      return isHeld ? ends : 'stopped'
    },
  }
}

/** Gives the work up when it makes no progress. @returns whether it was not stopped */
async function untilStalled(progress: () => number, work: (stop: () => 'stop') => Promise<void>): Promise<boolean> {
  let isStopped = false
  let isEnded = false
  const working = work(() => {
    isStopped = true
    return 'stop'
  }).finally(() => {
    isEnded = true
  })
  for (;;) {
    const before = progress()
    try {
      await within(stalledAfterMs, working)
      return !isStopped
    } catch (error) {
      if (isEnded || progress() === before) throw error
    }
  }
}
