import { type ChangeEntries, type ChangeEntry, type ChangeEntryProof, isHeraldProblem } from '@herald/client'
import { matchesProof } from './check-proof.ts'

/** The state of the seal of one entry. */
export type Seal =
  | { readonly kind: 'unknown' | 'checking' | 'unsealed' }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** `unaltered` and `altered`: the entry, as it is shown, was held against the proof in this page. */
  | { readonly kind: 'sealed' | 'unaltered' | 'altered'; readonly proof: ChangeEntryProof; readonly readAt: Date }

/** `awaited`: it is not known yet whether Herald seals anything. */
export type SealOf = (entry: ChangeEntry) => Seal | 'awaited'

export type SealsDependencies = {
  readonly changeEntries: Pick<ChangeEntries, 'checkpoint' | 'proof'>
  /** Gets `undefined` if Herald seals nothing. */
  readonly onChange: (sealOf: SealOf | undefined) => void
  readonly pollMs?: number
}

export type Seals = ReturnType<typeof createSeals>

/** So many of a list are checked at once: the newest, which may not be sealed yet. Others are checked when the user asks. */
const CHECKED_AT_ONCE = 3

/**
 * The seals of a list of entries. The list costs one request for the checkpoint, and one for each entry that is checked. While
 * one of these is not sealed yet, the checkpoint is read again from time to time.
 */
export function createSeals({ changeEntries, onChange, pollMs = 10_000 }: SealsDependencies) {
  let current = new AbortController()
  let seals = new Map<ChangeEntry, Seal>()
  let isOff = false
  /** The size of the newest checkpoint; 0 before the first one. */
  let size: number | undefined

  function sealOf(entry: ChangeEntry): Seal | 'awaited' {
    if (size === undefined) return 'awaited'
    const seal = seals.get(entry) ?? { kind: 'unknown' }
    // Before the first checkpoint nothing is sealed.
    return seal.kind === 'unknown' && size === 0 ? { kind: 'unsealed' } : seal
  }

  function set(entry: ChangeEntry, seal: Seal): void {
    seals.set(entry, seal)
    changed()
  }

  // Another function each time, so that the host renders again.
  const changed = () => onChange(isOff ? undefined : (entry) => sealOf(entry))

  async function readSize(signal: AbortSignal): Promise<void> {
    try {
      size = sizeOf(await changeEntries.checkpoint({ signal }))
    } catch (error) {
      if (signal.aborted) return
      if (isHeraldProblem(error, 'no_such_checkpoint')) size = 0
      // Sealing is off, or this release of Herald has none. Other failures pass.
      else if (isHeraldProblem(error) && error.status === 404) isOff = true
    }
    changed()
  }

  async function check(entry: ChangeEntry): Promise<Seal | undefined> {
    const { signal } = current
    set(entry, { kind: 'checking' })
    const seal = await readSeal(entry, signal)
    if (signal.aborted) return undefined
    set(entry, seal)
    return seal
  }

  async function readSeal(entry: ChangeEntry, signal: AbortSignal): Promise<Seal> {
    try {
      const proof = await changeEntries.proof(entry.id, { signal })
      const matches = await matchesProof(entry, proof)
      const kind = matches === undefined ? 'sealed' : matches ? 'unaltered' : 'altered'
      return { kind, proof, readAt: new Date() }
    } catch (error) {
      return isHeraldProblem(error, 'not_sealed_yet') ? { kind: 'unsealed' } : { kind: 'failed', error }
    }
  }

  async function follow(signal: AbortSignal): Promise<void> {
    let seen: number | undefined
    while (!isOff && !signal.aborted) {
      const waiting = [...seals].flatMap(([entry, { kind }]) =>
        kind === 'unknown' || kind === 'unsealed' ? [entry] : [],
      )
      if ((!size || waiting.length > 0) && globalThis.document?.visibilityState !== 'hidden') await readSize(signal)
      if (size && size !== seen && !signal.aborted) {
        seen = size
        await Promise.all(waiting.map(check))
      }
      await pause(pollMs, signal)
    }
  }

  return {
    /** Takes the place of the list before. */
    look(entries: readonly ChangeEntry[]): void {
      current.abort()
      current = new AbortController()
      seals = new Map(entries.slice(0, CHECKED_AT_ONCE).map((entry) => [entry, { kind: 'unknown' }]))
      changed()
      if (entries.length > 0) void follow(current.signal)
    },
    /** Fetches the proof of an entry and holds the entry against it. `undefined` if another list has taken the place of its own. */
    check,
    stop: () => current.abort(),
  }
}

/** The size is the second line of a checkpoint (C2SP tlog-checkpoint). */
const sizeOf = (checkpoint: string) => Number(checkpoint.split('\n')[1])

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)))
  })
