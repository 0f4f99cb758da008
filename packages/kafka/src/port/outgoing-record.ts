/** A record to produce. Headers have values because kafkajs cannot write null headers. */
export type OutgoingRecord = {
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: Record<string, Buffer | string | (Buffer | string)[]>
}
