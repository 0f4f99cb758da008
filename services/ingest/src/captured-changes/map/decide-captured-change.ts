import type { StoredChangeEntry } from '@herald/change-log'
import { limits, type Mapping } from '@herald/contracts'
import type { IncomingRecord } from '@herald/kafka'
import { type DecisionTimes, latestTime } from '../../clocks/latest-time.ts'
import { readDebeziumJson } from '../read/read-debezium-json.ts'
import { type RowChange, type RowRejection, reject, type SkipReason } from '../read/row-change.ts'
import { redactedChangesOf } from '../redact/redacted-record.ts'
import { createChangeIdentity, type IdentifyChange } from './change-identity.ts'
import { createMapValues, type MapValues } from './mapped-values.ts'
import { createRowStates, type RowStates } from './row-states.ts'
import { createTrustedStates, type TrustedStates } from './trusted-states.ts'

export type CapturedDecision =
  | { readonly kind: 'change-entries'; readonly documents: readonly StoredChangeEntry[] }
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  | { readonly kind: 'expired' }
  | RowRejection

export type DecideCapturedChange = (record: IncomingRecord, times: DecisionTimes) => CapturedDecision

const largestChange = 200
/** Limits the mapped texts that each entry of a record repeats, all together. */
const mostRepeatedBytes = 64 * 1024
const skipped = (reason: SkipReason): CapturedDecision => ({ kind: 'skipped', reason })

/**
 * Decides which entries a record of a mapped topic makes. It depends on the record and the mapping only, and
 * for deletes in PostgreSQL on whether an earlier update has shown that the mapping is wrong; never throws.
 */
export function createDecideCapturedChange(
  mapping: Mapping,
  onReplacedNulls: () => void = () => {},
): DecideCapturedChange {
  const rules = { states: createRowStates(mapping), map: createMapValues(mapping), identify: createChangeIdentity() }
  const findTrustedStates = createTrustedStates(mapping)
  const skipsSnapshots = mapping.snapshot === 'skip'
  return (record, times) => {
    const found = readDebeziumJson(record, { skipsSnapshots })
    if (found.kind === 'skip') return skipped(found.reason)
    if (found.kind === 'dead-letter') return found
    const { change } = found
    if (change.replacesNulls) onReplacedNulls()
    const untimely = whyNotNow(change, latestTime(record, times), times)
    if (untimely) return untimely
    const trusted = findTrustedStates(change)
    if (trusted.kind === 'dead-letter') return trusted
    const parts = partsOf(change, trusted, rules.states, redactedChangesOf(record))
    if (parts.length === 0) return skipped('unchanged')
    if (parts.length > largestChange) {
      return reject('too_many_changes', `${parts.length} fields have changed, the limit is ${largestChange}`)
    }
    return toEntries(change, trusted, parts, rules)
  }
}

function whyNotNow({ time }: RowChange, latest: number, { keepFrom }: DecisionTimes): CapturedDecision | undefined {
  if (time > latest + limits.eventFutureMs) {
    return reject('future_time', `The time is ${new Date(time).toISOString()}, more than 5 minutes ahead of all clocks`)
  }
  return keepFrom !== undefined && time < keepFrom.getTime() ? { kind: 'expired' } : undefined
}

type Part = Pick<StoredChangeEntry, 'actionType' | 'changedField' | 'beforeState' | 'afterState'>

function partsOf(
  { operation }: RowChange,
  { before, after }: TrustedStates,
  states: RowStates,
  alsoChanged: ReadonlySet<string>,
): Part[] {
  if (operation === 'u' && before && after) {
    return states.changes(before, after, alsoChanged).map((change) => ({
      actionType: 'update',
      changedField: change.field,
      beforeState: JSON.stringify(change.before),
      afterState: JSON.stringify(change.after),
    }))
  }
  const stateOf = (row: TrustedStates['before']) => JSON.stringify(row && states.whole(row))
  const actionType = operation === 'd' ? 'delete' : 'create'
  return [{ actionType, changedField: '', beforeState: stateOf(before), afterState: stateOf(after) }]
}

type MappedTexts = Pick<StoredChangeEntry, 'entityType' | 'entityId' | 'entityTitle' | 'user'>
type Rules = { readonly states: RowStates; readonly map: MapValues; readonly identify: IdentifyChange }

function toEntries(
  change: RowChange,
  { before, after, isKeyOnly }: TrustedStates,
  parts: readonly Part[],
  { states, map, identify }: Rules,
): CapturedDecision {
  const identity = identify(change)
  if (identity.kind === 'dead-letter') return identity
  const lookUp = (field: string) => {
    const [now, former] = [fieldOf(after, field), fieldOf(before, field)]
    if (now !== undefined && !states.isUnavailable(now)) return now
    if (former !== undefined && !states.isUnavailable(former)) return former
    return now === undefined && former === undefined ? undefined : null
  }
  const mapped = map({
    lookUp,
    hasAllFields: !isKeyOnly && change.connector !== 'mongodb',
    advice: isKeyOnly ? '; without REPLICA IDENTITY FULL a delete has the key only' : '',
  })
  if (mapped.kind === 'dead-letter') return mapped
  const repeatedBytes = parts.length * textBytesOf(mapped.values)
  if (repeatedBytes > mostRepeatedBytes) {
    return reject(
      'too_many_changes',
      `${parts.length} entries would repeat ${repeatedBytes} bytes of mapped texts, the limit is ${mostRepeatedBytes}`,
    )
  }
  const createdAt = new Date(change.time)
  const documents = parts.map((part) => ({
    id: identity.entryId(mapped.values.subscriberId, part.changedField),
    createdAt,
    ...mapped.values,
    ...part,
  }))
  return { kind: 'change-entries', documents }
}

const textBytesOf = ({ entityType, entityId, entityTitle, user }: MappedTexts) =>
  Buffer.byteLength(`${entityType}${entityId}${entityTitle}${user.name}${user.email}`)

const fieldOf = (row: TrustedStates['before'], field: string) =>
  row !== null && Object.hasOwn(row, field) ? row[field] : undefined
