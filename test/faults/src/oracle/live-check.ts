import { pause, until } from '../until.ts'
import type { DeadLetterLog } from './dead-letter-log.ts'
import { changeKey, type EventPlan, kindOf, notificationKey, recipientsOf } from './event-plan.ts'
import type { GroupOffsets, Positions } from './group-offsets.ts'
import { type Ledger, placeOf } from './ledger.ts'
import { findUnhandledReceipts } from './receipt-check.ts'
import type { StoredDocuments } from './stored-documents.ts'
import type { Violations } from './violations.ts'

export type LiveCheckDependencies = {
  plan: EventPlan
  ledger: Ledger
  offsets: GroupOffsets
  stored: StoredDocuments
  deadLetters: DeadLetterLog
  deadLetterTopic: string
  violations: Violations
}

/** Repeatedly compares the group's committed offsets with the store and the dead letters while faults are injected. */
export type LiveCheck = {
  start(): void
  stop(): Promise<void>
  /** How often all records below the committed offsets were compared. */
  samples(): number
  /** Whether all records below these offsets have been compared, once the producer has every acknowledgement. */
  hasReached(committed: Positions): boolean
  /** Committed records that were never acknowledged: a broker had them when it failed, and the producer sent them again. */
  copies(): number
}

type Due = {
  partition: string
  offset: number
  n: number
  isPoison: boolean
}

const everyMs = 250
const recordsPerSample = 20_000
/** Offsets from here on are invalid ones that a fault has set. */
const noRealOffset = 100_000_000

export function createLiveCheck(dependencies: LiveCheckDependencies): LiveCheck {
  const { plan, ledger, offsets, stored, deadLetters, deadLetterTopic, violations } = dependencies
  const next = new Map<string, number>()
  /** Committed, but not acknowledged to the producer yet or not compared because a server was unavailable. */
  let pending: { partition: string; offset: number }[] = []
  let samples = 0
  let stopped = false
  let running: Promise<void> = Promise.resolve()

  const isUnknown = ({ partition, offset }: { partition: string; offset: number }) =>
    ledger.partitions.get(partition)?.at(offset) === undefined

  const takeDue = (committed: Positions): Due[] => {
    for (const [partition, offset] of committed) {
      if (offset >= noRealOffset) continue
      for (let at = next.get(partition) ?? 0; at < offset && pending.length < recordsPerSample; at++) {
        pending.push({ partition, offset: at })
        next.set(partition, at + 1)
      }
    }
    const due: Due[] = []
    pending = pending.filter((place) => {
      const partition = ledger.partitions.get(place.partition)
      if (partition?.isVoid(place.offset)) return false
      const record = partition?.at(place.offset)
      if (record) due.push({ ...place, ...record })
      return record === undefined
    })
    return due
  }

  const sample = async (): Promise<void> => {
    // The order matters: a store that is read before the offsets may lack records that are stored in between.
    const term = await stored.primaryTerm()
    const committed = await offsets.committed()
    await ledger.refresh()
    const due = takeDue(committed)
    try {
      await compareStored(due, term)
      await compareDeadLetters(due.filter(({ isPoison }) => isPoison))
      samples++
    } catch (error) {
      pending.push(...due)
      throw error
    }
  }

  const compareStored = async (due: readonly Due[], term: string): Promise<void> => {
    const good = due.filter(({ isPoison }) => !isPoison)
    const findMissing = async (records: readonly Due[], linearizable: boolean) => {
      const of = (kind: string) => records.filter(({ n }) => kindOf(n) === kind)
      const read = { linearizable, projection: { _id: 1 } }
      const mentions = of('mention').map((record) => ({
        record,
        keys: recipientsOf(record.n).map((recipient) => notificationKey(plan, record.n, recipient)),
      }))
      const changes = of('change').map((record) => ({ record, keys: [changeKey(plan, record.n)] }))
      const notificationKeys = mentions.flatMap(({ keys }) => keys)
      const foundNotifications = await stored.find(stored.notifications, notificationKeys, read)
      const changeKeys = changes.flatMap(({ keys }) => keys)
      const foundChanges = await stored.find(stored.changeEntries, changeKeys, read)
      const lacks = (found: ReadonlyMap<string, unknown>) => (one: { keys: Buffer[] }) =>
        one.keys.some((key) => !found.has(key.toString('hex')))
      const unhandled = await findUnhandledReceipts(plan, stored, of('receipt'), linearizable)
      const missing = [...mentions.filter(lacks(foundNotifications)), ...changes.filter(lacks(foundChanges))]
      return [...missing.map(({ record }) => record), ...unhandled]
    }
    let missing = await findMissing(good, false)
    if (missing.length > 0 && !(await isSameTerm(term))) missing = await findMissing(missing, true)
    for (const { partition, offset, n } of missing) {
      violations.add('offset', `${partition}/${offset} (event ${n}) is committed but not stored`)
    }
  }

  /** Majority reads within one confirmed term of the primary are as good as linearizable ones. */
  const isSameTerm = async (term: string): Promise<boolean> => {
    await stored.confirmPrimary()
    return (await stored.primaryTerm()) === term
  }

  const compareDeadLetters = async (due: readonly Due[]): Promise<void> => {
    if (due.length === 0) return
    const ends = await offsets.ends([deadLetterTopic])
    const isRead = () =>
      [...ends].every(([name, end]) => deadLetters.position(Number(name.slice(name.lastIndexOf('/') + 1))) >= end)
    await until('the dead letters to be read', isRead, { withinMs: 20_000, everyMs: 20 })
    for (const { partition, offset, n } of due) {
      if (deadLetters.letters.has(placeOf(...splitName(partition), offset))) continue
      violations.add('offset', `${partition}/${offset} (event ${n}) is committed but not dead-lettered`)
    }
  }

  const run = async (): Promise<void> => {
    while (!stopped) {
      // A server is unavailable: the next sample compares these records.
      await sample().catch(() => {})
      await pause(everyMs)
    }
  }

  return {
    start() {
      running = run()
    },
    async stop() {
      stopped = true
      await running
    },
    samples: () => samples,
    hasReached: (committed) =>
      pending.every(isUnknown) && [...committed].every(([partition, offset]) => (next.get(partition) ?? 0) >= offset),
    copies: () => pending.filter(isUnknown).length,
  }
}

function splitName(name: string): [topic: string, partition: number] {
  const slash = name.lastIndexOf('/')
  return [name.slice(0, slash), Number(name.slice(slash + 1))]
}
