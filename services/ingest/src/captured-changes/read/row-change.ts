import type { DeadLetterReason, JsonValue } from '@herald/contracts'

export type Row = { readonly [field: string]: JsonValue }

export const connectors = ['postgresql', 'mariadb', 'mysql', 'mongodb'] as const
export type Connector = (typeof connectors)[number]

/** Whether a value names a connector whose records are read. */
export const isConnector = (value: unknown): value is Connector => connectors.some((name) => name === value)

export type RowOperation = 'c' | 'u' | 'd' | 'r'

/** The change of one row, independent of the form in which the record holds it. */
export type RowChange = {
  readonly operation: RowOperation
  readonly connector: Connector
  /** Connector, logical name, database, schema if the database has them, and table or collection. */
  readonly origin: readonly string[]
  readonly time: number
  /** The position in the log of the database, which several changes may share. */
  readonly position: JsonValue
  readonly key: Row | null
  /** The transaction and the position in it, if the connector writes them. */
  readonly order: readonly [transactionId: string, totalOrder: number | string] | undefined
  readonly isInMongoTransaction: boolean
  /**
   * Whether the converter writes the default of a column in place of NULL (`replace.null.with.default`, its default): beyond
   * snapshots no connector writes `source.snapshot` itself, whose default is `false`.
   */
  readonly replacesNulls: boolean
  readonly before: Row | null
  readonly after: Row | null
  /** The description of a MongoDB update, which shows whether `after` belongs to it. */
  readonly update: MongoUpdate | undefined
}

/** Paths that an update set, with their values, and paths that it removed or shortened. */
export type MongoUpdate = { readonly updated: Row; readonly touched: readonly string[] }

/** Why a record makes no entry although nothing is wrong with it. */
export type SkipReason = 'tombstone' | 'truncate' | 'message' | 'marker' | 'snapshot' | 'unchanged'

export type RowRejection = { readonly kind: 'dead-letter'; readonly code: DeadLetterReason; readonly detail: string }
export type RowRead =
  | { readonly kind: 'change'; readonly change: RowChange }
  | { readonly kind: 'skip'; readonly reason: SkipReason }
  | RowRejection

export const reject = (code: DeadLetterReason, detail: string): RowRejection => ({ kind: 'dead-letter', code, detail })
