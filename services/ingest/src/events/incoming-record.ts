/** A record as it lies in Kafka: bytes, and where they came from. */
export type IncomingRecord = {
  readonly topic: string
  readonly partition: number
  readonly offset: string
  /** Milliseconds since 1970, as the broker has it. */
  readonly timestamp: string
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: RecordHeaders
}

type HeaderValue = Buffer | string | undefined
/** Headers of one name come as an array. */
export type RecordHeaders = Readonly<Record<string, HeaderValue | HeaderValue[] | null>>

/** The text of a header; of several the first, and `undefined` for one that is absent or has no value. */
export function headerText(headers: RecordHeaders, name: string): string | undefined {
  const header = headers[name]
  const first = Array.isArray(header) ? header[0] : header
  return first === undefined || first === null ? undefined : first.toString()
}
