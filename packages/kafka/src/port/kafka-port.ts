import type { IncomingRecord } from './incoming-record.ts'

/**
 * The Kafka client of the services, which consumes, produces, and looks at topics. Only `client/` knows the library. A request to a
 * broker that was frozen may never settle, so every wait needs a limit of its own.
 */
export type KafkaPort = {
  /** Creates a member of a consumer group. It does not connect yet. */
  createMember(options: MemberOptions): GroupMember
  connectProducer(options?: ProducerOptions): Promise<RecordProducer>
  describeTopics(topics: readonly string[]): Promise<ReadonlyMap<string, TopicDescription>>
  /** Reads the committed and the last offsets of a group. Connects on first use; after an error another one is needed. */
  createPositionReader(groupId: string, topics: readonly string[]): PositionReader
  /** Passes on what the topic holds now, in order per partition, without commits. Ends if `each` returns `stop`. */
  readToEnd(topic: string, each: (record: IncomingRecord) => Promise<unknown>, start?: ReadStart): Promise<void>
  /** The offset after the last record of each partition, and the first one with a timestamp of at least `since`. */
  offsetsSince(topic: string, since: Date): Promise<readonly OffsetRange[]>
  /** The number of members that a group has now. */
  countMembers(groupId: string): Promise<number>
  /** Commits these offsets for a group that has no members. */
  setOffsets(groupId: string, offsets: readonly PartitionOffset[]): Promise<void>
}

/** Where to start reading: at a time, or at an offset of each partition. Partitions without one are not read. */
export type ReadStart = { readonly since: Date } | { readonly offsets: ReadonlyMap<number, bigint> }

export type OffsetRange = { readonly partition: number; readonly from: bigint; readonly end: bigint }

export type MemberOptions = {
  readonly groupId: string
  readonly topics: readonly string[]
  /** About how much of a partition to pass on at once. A member handles a share of every partition before it reads on. */
  readonly shareOf: (topic: string) => PartitionShare
}

export type PartitionShare = {
  readonly records: number
  /** Keys, values and headers, decompressed. */
  readonly bytes: number
}

export type GroupMember = {
  listen(events: Partial<MemberEvents>): void
  /**
   * Joins the group and reads from the committed offsets, or from the first record. Resolves once it has begun. An error
   * that `handle` throws is the member's to deal with: it reads the batch again, rejoins, or ends.
   */
  run(handle: (batch: PartitionBatch) => Promise<void>): Promise<void>
  /** Commits offsets while no batch is handled. Does nothing while the member stops. */
  commit(offsets: readonly PartitionOffset[]): Promise<void>
  /** Leaves the group once the current batches are handled. May hang. */
  close(): Promise<void>
}

export type MemberEvents = {
  joined(assignment: Readonly<Record<string, readonly number[]>>): void
  fetched(): void
  heartbeat(): void
  committed(): void
  /** Records before this offset were read and are not passed on: transaction markers and aborted records. */
  skipped(offset: PartitionOffset): void
  /** The topic was deleted, and may have been created again: the partition is read from this offset, its first one. */
  recreated(offset: PartitionOffset): void
  /** Final if the member has ended; otherwise it restarts. */
  crashed(crash: { readonly error: Error; readonly isFinal: boolean }): void
}

export type PartitionBatch = {
  readonly topic: string
  readonly partition: number
  readonly records: readonly IncomingRecord[]
  /** The offset after the batch, which may end with transaction markers or records removed by compaction. */
  readonly endOffset: string
  isRunning(): boolean
  /** Whether the partition continues elsewhere: after a seek, or because the member has lost it since. */
  isStale(): boolean
  /** Makes the next fetch start at this offset. Without it, the batch is read again. */
  resolve(nextOffset: string): void
  /** The error must reach the member: it learns from it that the partition was revoked. */
  heartbeat(): Promise<void>
  /** Commits also while the member stops. The error must reach the member, as that of a heartbeat. */
  commit(offsets: readonly PartitionOffset[]): Promise<void>
  /** Reads nothing of the partition until the returned function is called, which throws if the member has ended. */
  pause(): () => void
}

/** The offset of the next record to handle, and what is attached to its commit. */
export type PartitionOffset = {
  readonly topic: string
  readonly partition: number
  readonly offset: string
  readonly metadata?: string
}

export type ProducerOptions = {
  /** How often all records of a call are sent again after an error that may pass; 5 by default. */
  readonly retries?: number
}

export type RecordProducer = {
  /**
   * Appends records to a topic, or to one of its partitions in order. Resolves when all replicas have them. After an error
   * some records may be there, or twice.
   *
   * @throws RecordTooLarge if the topic rejects a batch for its size
   */
  send(records: readonly OutgoingRecord[], to: Destination): Promise<void>
  close(): Promise<void>
}

type Destination = { readonly topic: string; readonly partition?: number; readonly timeoutMs?: number }

/** The topic does not accept a batch of this size. */
export class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge'
}

export type TopicDescription = {
  /** The largest batch that the topic accepts, compressed. */
  readonly maxBatchBytes: number
  /** `delete`, `compact`, or both, comma-separated. */
  readonly cleanupPolicy: string
  /** -1 for ever. */
  readonly retentionMs: number
  /** For each partition; -1 without a limit. */
  readonly retentionBytes: number
}

export type PositionReader = {
  read(): Promise<readonly GroupPosition[]>
  close(): Promise<void>
}

/** The group's next offset of a partition, and the offset after its last record. */
export type GroupPosition = {
  readonly topic: string
  readonly partition: number
  readonly committed: bigint
  readonly end: bigint
  /** The group's own commit, if it has made one, and what was attached to it. */
  readonly commit?: { readonly offset: bigint; readonly metadata: string } | undefined
}

/** A record to produce. Headers have values because kafkajs cannot write null headers. */
export type OutgoingRecord = {
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: Record<string, Buffer | string | (Buffer | string)[]>
}
