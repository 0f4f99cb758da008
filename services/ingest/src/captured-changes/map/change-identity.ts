import { deriveEventId } from '@herald/contracts'
import { toCanonicalJson } from '@herald/sealed-log'
import { type RowChange, type RowRejection, reject } from '../read/row-change.ts'

/** Table, position and key as JSON are part of the id of each entry. */
const largestIdentity = 16 * 1024

type ChangeIdentity = {
  readonly kind: 'identity'
  /** The entry's id; `field` is empty for a whole row. */
  entryId(subscriberId: string, field: string): string
}

export type IdentifyChange = (change: RowChange) => ChangeIdentity | RowRejection

/**
 * The identity of a change, equal whenever and however often the connector delivers it: the `source` is the table, the `id`
 * is the canonical JSON of position, operation, key and field. The transaction and the position in it replace position and
 * key where the connector writes them.
 */
export function createChangeIdentity(): IdentifyChange {
  const sourceOf = createSourceNames()
  return (change) => {
    const place = placeOf(change)
    if ('kind' in place) return place
    const { operation, time } = change
    const bytes = Buffer.byteLength(JSON.stringify([change.origin, place.position, place.key]))
    if (bytes > largestIdentity) {
      const detail = `Table, position and key are ${bytes} bytes as JSON, the limit is ${largestIdentity}`
      return reject('record_too_large', detail)
    }
    const source = sourceOf(change.origin)
    const start = toCanonicalJson([place.position, operation, ...place.key]).slice(0, -1)
    return {
      kind: 'identity',
      entryId(subscriberId, field) {
        return deriveEventId({ subscriberId, source, id: `${start},${JSON.stringify(field)}]`, time })
      },
    }
  }
}

/** Percent-encoded, since a table may have a slash in its name. The last source is kept: a topic usually has one. */
function createSourceNames() {
  let last: { readonly origin: RowChange['origin']; readonly source: string } | undefined
  return (origin: RowChange['origin']): string => {
    const isLast = last?.origin.length === origin.length && last.origin.every((name, index) => name === origin[index])
    if (!last || !isLast) last = { origin, source: ['/debezium', ...origin.map(encodeURIComponent)].join('/') }
    return last.source
  }
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
