import { randomUUID } from 'node:crypto'
import type { Admin, Kafka } from 'kafkajs'
import type { IncomingRecord } from '../port/incoming-record.ts'
import type { OffsetRange, ReadStart } from '../port/kafka-port.ts'
import { offsetsSince } from './admin.ts'
import { toRecord } from './partition-batch.ts'

type Each = (record: IncomingRecord) => Promise<unknown>

/** The prefix of groups that commands for operators read with: ACLs name it. */
export const temporaryGroupPrefix = 'herald-operator-'

/** In a row, each after the retries of the client. */
const mostCrashes = 3

/** Reads a topic up to the end it has now. It uses a temporary consumer group, which it deletes afterwards. */
export async function readToEnd(
  kafka: Kafka,
  topic: string,
  each: Each,
  start?: ReadStart,
  groupPrefix: string = temporaryGroupPrefix,
): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  const groupId = `${groupPrefix}${randomUUID()}`
  const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false, maxWaitTimeInMs: 500 })
  try {
    const ranges = (await findRanges(admin, topic, start)).filter(({ from, end }) => end > from)
    /** The ranges that are left to be read. */
    const open = new Map(ranges.map(({ partition, from, end }) => [partition, { from, end }]))
    if (open.size === 0) return
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    let crashes = 0
    await new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        // Mostly it joins again, for example when the coordinator was loading.
        if (!payload.restart || ++crashes > mostCrashes) reject(payload.error)
      })
      consumer.on(consumer.events.GROUP_JOIN, () => {
        for (const [partition, { from }] of open) consumer.seek({ topic, partition, offset: String(from) })
      })
      const run = consumer.run({
        autoCommit: false,
        eachBatch: async ({ batch, heartbeat }) => {
          const range = open.get(batch.partition)
          if (range === undefined) return
          try {
            for (const message of batch.messages) {
              const offset = BigInt(message.offset)
              if (offset >= range.end) break
              // Records of a batch that was fetched before the consumer was moved may be earlier.
              if (offset < range.from) continue
              if ((await each(toRecord(topic, batch.partition, message))) === 'stop') return resolve()
              range.from = offset + 1n
              crashes = 0
              await heartbeat()
            }
          } catch (error) {
            return reject(error)
          }
          if (BigInt(batch.lastOffset()) + 1n >= range.end) open.delete(batch.partition)
          if (open.size === 0) resolve()
        },
      })
      run.catch(reject)
    })
  } finally {
    await consumer.disconnect()
    await admin.deleteGroups([groupId]).catch(() => {})
    await admin.disconnect()
  }
}

async function findRanges(admin: Admin, topic: string, start: ReadStart | undefined): Promise<OffsetRange[]> {
  if (start !== undefined && 'since' in start) return offsetsSince(admin, topic, start.since)
  const ranges = (await admin.fetchTopicOffsets(topic)).map(({ partition, low, high }) => ({
    partition,
    from: BigInt(low),
    end: BigInt(high),
  }))
  if (start === undefined) return ranges
  return ranges.flatMap((range) => {
    const from = start.offsets.get(range.partition)
    if (from === undefined) return []
    return [from > range.from ? { ...range, from } : range]
  })
}
