import { type Acceptance, openAcceptance, subscriberOfAcceptance, type VerifierKey } from '@herald/sealed-log'

export type AcceptedLog = Acceptance & { readonly note: string }

type Options = {
  readonly origin: string
  /** An acceptance in another topic says nothing about this one. */
  readonly topic: string
  /** The keys of this process: those in MongoDB may be anybody's. */
  readonly keysOf: (subscriberId: string) => readonly VerifierKey[]
}

/** One that was signed again, by one key more, is longer. */
function isLater(one: AcceptedLog, other: AcceptedLog): boolean {
  const [own, others] = [sum(one.offsets), sum(other.offsets)]
  return own > others || (own === others && one.note.length > other.note.length)
}

const sum = (offsets: ReadonlyMap<number, bigint>) => [...offsets.values()].reduce((all, offset) => all + offset, 0n)

/** Keeps the last acceptance of each log, wherever it comes from: it counts by its signature. */
export function createAcceptedLogs({ origin, topic, keysOf }: Options) {
  const logs = new Map<string, AcceptedLog>()
  return {
    /** @returns whether it is one, and the last one of its log so far */
    take(note: string): boolean {
      const named = subscriberOfAcceptance(note, origin)
      if (named === undefined || logs.get(named)?.note === note) return false
      const acceptance = openAcceptance(note, origin, keysOf(named))
      if (acceptance?.topic !== topic) return false
      const known = logs.get(acceptance.subscriberId)
      if (known !== undefined && !isLater({ ...acceptance, note }, known)) return false
      logs.set(acceptance.subscriberId, { ...acceptance, root: Buffer.from(acceptance.root), note })
      return true
    },
    of: (subscriberId: string): AcceptedLog | undefined => logs.get(subscriberId),
    /** Finds acceptances that a key has not signed. */
    withoutSignatureOf: (keyOf: Options['keysOf']): AcceptedLog[] =>
      [...logs.values()].filter(
        ({ subscriberId, note }) => openAcceptance(note, origin, keyOf(subscriberId)) === undefined,
      ),
    /** Forgets those beyond the end of the topic, which was created anew since. */
    endAt(ends: ReadonlyMap<number, bigint>): void {
      for (const [subscriberId, { offsets }] of logs) {
        if ([...offsets].some(([partition, offset]) => offset > (ends.get(partition) ?? 0n))) logs.delete(subscriberId)
      }
    },
  }
}
