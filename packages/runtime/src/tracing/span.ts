/** A finished operation. Spans are recorded at their end, by one call with both timestamps. */
export type FinishedSpan = {
  readonly name: string
  readonly kind: 'server' | 'consumer' | 'client'
  /** The W3C `traceparent` of the caller; a malformed one is ignored. */
  readonly traceparent?: string | undefined
  /** Milliseconds since 1970, from {@link spanClock}. */
  readonly startMs: number
  readonly endMs: number
  /** Named by OpenTelemetry's semantic conventions. Never contains payloads. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly failed?: boolean
  readonly children?: readonly Omit<FinishedSpan, 'traceparent' | 'children'>[]
}

/** Records spans. They are sent in the background, and dropped if the collector does not accept them. */
export type Tracing = { record(span: FinishedSpan): void }

/** Milliseconds since 1970 with fractions, which a `Date` would cut off. */
export const spanClock = (): number => performance.timeOrigin + performance.now()
