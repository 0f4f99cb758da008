type Masked = {
  actorId: string
  subjectId: string
  actor: object
  metadata: object
  updatedAt: string
  [field: string]: unknown
}

const pseudonymForm = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export const formatSeconds = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** Erased persons. Their pseudonyms are unknown until a response shows them, and must stay the same from then on. */
export function createErasedPersons() {
  const until = new Map<string, number>()
  const pseudonyms = new Map<string, string>()
  const keyOf = (subscriberId: string, id: string) => `pseudonym of ${id} at ${subscriberId}`
  const untilOf = (subscriberId: string, id: string) => until.get(keyOf(subscriberId, id)) ?? -1
  const isErased = (subscriberId: string, id: string, at: number) => at <= untilOf(subscriberId, id)

  return {
    isErased,
    erase: (subscriberId: string, id: string, time: number) =>
      void until.set(keyOf(subscriberId, id), Math.max(time, untilOf(subscriberId, id))),
    /** The person's pseudonym, or a text that {@link learn} takes, if something of this time is erased. */
    maskId(subscriberId: string, id: string, at: number): string {
      if (!isErased(subscriberId, id, at)) return id
      const key = keyOf(subscriberId, id)
      return pseudonyms.get(key) ?? key
    },
    maskNotification<T extends Masked>(subscriberId: string, seen: T, at: number): T {
      const concerned = [seen.actorId, seen.subjectId].filter((id) => isErased(subscriberId, id, at))
      if (concerned.length === 0) return seen
      const updatedAt = formatSeconds(Math.max(...concerned.map((id) => untilOf(subscriberId, id))))
      const actorId = this.maskId(subscriberId, seen.actorId, at)
      const masked = { ...seen, actorId, subjectId: this.maskId(subscriberId, seen.subjectId, at), updatedAt }
      if (!concerned.includes(seen.actorId)) return masked
      const { mention } = seen.metadata as { mention: object }
      const metadata = { ...seen.metadata, mention: { ...mention, mentionerName: '', snippet: '' } }
      return { ...masked, metadata, actor: { id: actorId, name: '', image: '' } }
    },
    /** Takes over a pseudonym that is seen for the first time. No two persons have the same one. */
    learn(expected: string, seen: unknown): void {
      const isUnknown = expected.startsWith('pseudonym of') && !pseudonyms.has(expected)
      if (!isUnknown || typeof seen !== 'string' || !pseudonymForm.test(seen)) return
      if (![...pseudonyms.values()].includes(seen)) pseudonyms.set(expected, seen)
    },
  }
}

export type ErasedPersons = ReturnType<typeof createErasedPersons>
