/** Something that was done, told when it is over: where it began and ended, and what it belongs to. */
export type FinishedSpan = {
  readonly name: string
  readonly kind: 'server' | 'consumer' | 'client'
  /** The W3C `traceparent` of whoever asked for it; one that is malformed counts as none. */
  readonly traceparent?: string | undefined
  /** Milliseconds since 1970, as {@link spanClock} has them. */
  readonly startMs: number
  readonly endMs: number
  /** By OpenTelemetry's semantic conventions. Never contents. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly failed?: boolean
  readonly children?: readonly Omit<FinishedSpan, 'traceparent' | 'children'>[]
}

/** Where spans go. It takes them at once and sends them later; what it can't send is lost, and nobody waits for it. */
export type Tracing = { record(span: FinishedSpan): void }

/** Milliseconds since 1970, with fractions. */
export const spanClock = (): number => performance.timeOrigin + performance.now()
