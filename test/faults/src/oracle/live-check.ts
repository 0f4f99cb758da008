import { pause, until } from '../until.ts'
import type { DeadLetterLog } from './dead-letter-log.ts'
import { changeKey, type EventPlan, kindOf, notificationKey, recipientsOf } from './event-plan.ts'
import type { GroupOffsets, Positions } from './group-offsets.ts'
import { type Ledger, placeOf } from './ledger.ts'
import { findUnhandledReceipts } from './receipt-check.ts'
import type { StoredDocuments } from './stored-documents.ts'
import type { Violations } from './violations.ts'

export interface LiveCheckDependencies {
  plan: EventPlan
  ledger: Ledger
  offsets: GroupOffsets
  stored: StoredDocuments
  deadLetters: DeadLetterLog
  deadLetterTopic: string
  violations: Violations
}

/** Holds the group's committed offsets against the store and the dead letters, again and again while faults strike. */
export interface LiveCheck {
  start(): void
  stop(): Promise<void>
  /** How often everything below the committed offsets was compared. */
  samples(): number
  /** Whether everything below these offsets has been compared. */
  hasReached(committed: Positions): boolean
}

interface Due {
  partition: string
  offset: number
  n: number
  isPoison: boolean
}

const everyMs = 250
const recordsPerSample = 20_000
/** An offset that was set to nonsense, as one of the faults does. */
const noRealOffset = 100_000_000

export function createLiveCheck(dependencies: LiveCheckDependencies): LiveCheck {
  const { plan, ledger, offsets, stored, deadLetters, deadLetterTopic, violations } = dependencies
  const next = new Map<string, number>()
  /** Committed and not acknowledged to the producer yet, or not compared because somebody was away. */
  let pending: { partition: string; offset: number }[] = []
  let samples = 0
  let stopped = false
  let running: Promise<void> = Promise.resolve()

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
      const record = ledger.partitions.get(place.partition)?.at(place.offset)
      if (record) due.push({ ...place, ...record })
      return record === undefined
    })
    return due
  }

  const sample = async (): Promise<void> => {
    // The order decides: who reads the store first would call late what was stored meanwhile.
    const reign = await stored.reign()
    const committed = await offsets.committed()
    await ledger.refresh()
    const due = takeDue(committed)
    try {
      await compareStored(due, reign)
      await compareDeadLetters(due.filter(({ isPoison }) => isPoison))
      samples++
    } catch (error) {
      pending.push(...due)
      throw error
    }
  }

  const compareStored = async (due: readonly Due[], reign: string): Promise<void> => {
    const good = due.filter(({ isPoison }) => !isPoison)
    const look = async (records: readonly Due[], linearizable: boolean) => {
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
    let missing = await look(good, false)
    if (missing.length > 0 && !(await stillReigns(reign))) missing = await look(missing, true)
    for (const { partition, offset, n } of missing) {
      violations.add('offset', `${partition}/${offset} (event ${n}) is committed and not stored`)
    }
  }

  /** A majority read of a primary that was one all the time, and knew it, is as good as a linearizable one. */
  const stillReigns = async (reign: string): Promise<boolean> => {
    await stored.makeCertain()
    return (await stored.reign()) === reign
  }

  const compareDeadLetters = async (due: readonly Due[]): Promise<void> => {
    if (due.length === 0) return
    const ends = await offsets.ends([deadLetterTopic])
    const isRead = () =>
      [...ends].every(([name, end]) => deadLetters.position(Number(name.slice(name.lastIndexOf('/') + 1))) >= end)
    await until('dead letters to be read', isRead, { withinMs: 20_000, everyMs: 20 })
    for (const { partition, offset, n } of due) {
      if (deadLetters.letters.has(placeOf(...splitName(partition), offset))) continue
      violations.add('offset', `${partition}/${offset} (event ${n}) is committed and no dead letter`)
    }
  }

  const run = async (): Promise<void> => {
    while (!stopped) {
      // The broker or the store is away: the next sample compares what this one could not.
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
      pending.length === 0 && [...committed].every(([partition, offset]) => (next.get(partition) ?? 0) >= offset),
  }
}

function splitName(name: string): [topic: string, partition: number] {
  const slash = name.lastIndexOf('/')
  return [name.slice(0, slash), Number(name.slice(slash + 1))]
}
