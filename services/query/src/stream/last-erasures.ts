import type { Position, Store } from '@herald/store'
import type { Audience, ChangeStep } from './audience.ts'

export type LastErasures = ReturnType<typeof createLastErasures>

/** Time for which a read is used again: of an erasure accepted within it, a change may be sent that was stored just before. */
const usedForMs = 1_000

/**
 * Finds the changes that were stored before an erasure and may contain the erased person. One read serves all subscribers of an
 * audience, at most once a second, and once for each that joins meanwhile.
 */
export function createLastErasures(read: Store['erasures']['lastErasedAt']) {
  const known = new Map<string, { readonly readAt: number; readonly erasedAt: Position | undefined }>()

  async function look(subscriberIds: ReadonlySet<string>) {
    const readAt = performance.now()
    for (const [id, entry] of known) if (entry.readAt <= readAt - usedForMs) known.delete(id)
    const unknown = [...subscriberIds].filter((id) => !known.has(id))
    const found = await read(unknown)
    for (const id of unknown) known.set(id, { readAt, erasedAt: found.get(id) })
    return found
  }

  return {
    /** The position at which a person of the subscriber was last erased, if the change may be older and has clients in the audience. */
    async after(audience: Audience, { owner, position }: ChangeStep): Promise<Position | undefined> {
      const [client] = audience.clientsOf(owner)
      if (!client) return undefined
      const { subscriberId } = client.owner
      const entry = known.get(subscriberId)
      const isUsed = entry !== undefined && entry.readAt > performance.now() - usedForMs
      const subscribers = () => new Set(audience.members().map((member) => member.owner.subscriberId))
      const erasedAt = isUsed ? entry.erasedAt : (await look(subscribers())).get(subscriberId)
      return erasedAt !== undefined && position <= erasedAt ? erasedAt : undefined
    },
  }
}
