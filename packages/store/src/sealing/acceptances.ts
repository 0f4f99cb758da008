import { userReads } from '@herald/mongo'
import type { Collection } from 'mongodb'
import type { AcceptanceDocument, LogStateDocument } from '../documents/log-page-document.ts'
import { logStateId, logStateIds, subscriberIn } from '../documents/log-state-ids.ts'

/** An operator has accepted that a log was restored, and with it what was published of it before. */
export type Acceptance = {
  readonly topic: string
  /** Records of the log ahead of these offsets are not compared any more. By partition. */
  readonly offsets: ReadonlyMap<number, bigint>
  /** The log was sealed up to this size: what is sealed from then on is to be published. */
  readonly size: number
}

export function createAcceptances(logState: Collection<LogStateDocument>, now: () => Date) {
  const documents = logState as unknown as Collection<AcceptanceDocument>
  return {
    /** The last one of each log. */
    async all(): Promise<Map<string, Acceptance>> {
      const found = await documents.find({ _id: logStateIds('accepted') }, userReads).toArray()
      return new Map(found.map((document) => [subscriberIn(document._id), toAcceptance(document)]))
    },
    async find(subscriberId: string): Promise<Acceptance | undefined> {
      const found = await documents.findOne({ _id: logStateId('accepted', subscriberId) }, userReads)
      return found === null ? undefined : toAcceptance(found)
    },
    async store(subscriberId: string, { topic, offsets, size }: Acceptance): Promise<void> {
      const accepted = Array.from(offsets, ([partition, offset]) => ({ partition, offset: String(offset) }))
      const set = { v: 1 as const, topic, offsets: accepted, size, acceptedAt: now() }
      await documents.updateOne({ _id: logStateId('accepted', subscriberId) }, { $set: set }, { upsert: true })
    },
  }
}

function toAcceptance({ topic, offsets, size }: AcceptanceDocument): Acceptance {
  return { topic, offsets: new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)])), size }
}
