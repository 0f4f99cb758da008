import { deriveEventId } from '@herald/contracts'
import { toCanonicalJson } from './canonical-json.ts'
import { type RowChange, type RowRejection, reject } from './row-change.ts'

/** Identifies the entries of one row change. */
export type ChangeIdentity = {
  readonly kind: 'identity'
  /** The entry's id; `field` is empty for a whole row. */
  entryId(subscriberId: string, field: string): string
}

/**
 * The identity of a change, equal whenever and however often the connector delivers it: the `source` is the table, the `id`
 * is the canonical JSON of position, operation, key and field. The transaction and the position in it replace position and
 * key where the connector writes them.
 */
export function identifyChange(change: RowChange): ChangeIdentity | RowRejection {
  const place = placeOf(change)
  if ('kind' in place) return place
  const { operation, time } = change
  const source = sourceOf(change)
  return {
    kind: 'identity',
    entryId(subscriberId, field) {
      const id = toCanonicalJson([place.position, operation, ...place.key, field])
      return deriveEventId({ subscriberId, source, id, time })
    },
  }
}

/** Names are percent-encoded, since a table may have a slash in its name. */
function sourceOf({ origin }: Pick<RowChange, 'origin'>): string {
  return ['/debezium', ...origin.map(encodeURIComponent)].join('/')
}

type Place = { readonly position: RowChange['position']; readonly key: readonly RowChange['key'][] }

function placeOf({
  connector,
  operation,
  order,
  key,
  position,
  isInMongoTransaction,
}: RowChange): Place | RowRejection {
  if (order !== undefined) return { position: [...order], key: [] }
  if (isInMongoTransaction) {
    return reject(
      'transaction_order_missing',
      'Changes of a transaction share their position; set provide.transaction.metadata=true',
    )
  }
  if (key === null && !isUnique(connector, operation)) {
    return reject('key_missing', 'The table has no key; add one, or set provide.transaction.metadata=true')
  }
  return { position, key: [key] }
}

/** In a binlog each row has its own position; the rows of a snapshot share one. */
const isUnique = (connector: RowChange['connector'], operation: RowChange['operation']) =>
  (connector === 'mariadb' || connector === 'mysql') && operation !== 'r'
