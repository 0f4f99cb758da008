import { type HeraldClient, isHeraldProblem, type Mute, type MuteTarget, type Notification } from '@herald/client'

/** The list of what the user has muted, while it is shown. */
export type MutesState = {
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly mutes: readonly Mute[]
  /** The newest notification of each, by its id: it has the name. */
  readonly examples: ReadonlyMap<string, Notification | undefined>
}

export type MutesDependencies = {
  readonly client: Pick<HeraldClient, 'mutes' | 'notifications'>
  /** The page's name of a location or an actor, if it has one. */
  readonly nameOf: (target: MuteTarget) => string | undefined
  readonly onChange: (state: MutesState | undefined) => void
  readonly onMuted: (target: MuteTarget, name: string) => void
  readonly onFailed: (error: unknown, isTooMany: boolean) => void
}

export type Mutes = ReturnType<typeof createMutes>

/** Mutes that get a name from their newest notification, starting with the latest; each is a request. */
const namedMutes = 100

/** The user's mutes, and the calls that mute and unmute. */
export function createMutes({ client, nameOf, onChange, onMuted, onFailed }: MutesDependencies) {
  const { mutes: calls, notifications } = client
  let state: MutesState | undefined

  function set(change: MutesState | undefined): void {
    state = change
    onChange(state)
  }

  /** One after the other, until the list is closed. */
  async function findNames(mutes: readonly Mute[]): Promise<void> {
    for (const { kind, id } of mutes.slice(0, namedMutes)) {
      if (!state) return
      if (nameOf({ kind, id })) continue
      const filter = kind === 'actor' ? { actorId: id } : { locationId: id }
      const page = await notifications.list({ ...filter, archived: 'any', limit: 1 }).catch(() => undefined)
      if (state) set({ ...state, examples: new Map([...state.examples, [id, page?.notifications[0]]]) })
    }
  }

  async function attempt(call: Promise<unknown>): Promise<boolean> {
    try {
      await call
      return true
    } catch (error) {
      onFailed(error, isHeraldProblem(error, 'too_many_mutes'))
      return false
    }
  }

  return {
    close: () => set(undefined),
    /** Opens the list; fetches it. */
    async load(): Promise<void> {
      const loading: MutesState = { phase: 'loading', mutes: [], examples: new Map() }
      set(loading)
      try {
        const mutes = await calls.list()
        if (state !== loading) return
        set({ ...loading, phase: 'ready', mutes })
        await findNames(mutes)
      } catch {
        if (state === loading) set({ ...loading, phase: 'failed' })
      }
    },
    async mute(target: MuteTarget, name: string, milliseconds: number | undefined): Promise<void> {
      const until = milliseconds === undefined ? null : new Date(Date.now() + milliseconds)
      if (await attempt(calls.set(target, { until }))) onMuted(target, name)
    },
    /** Resolves to whether it was saved. */
    async unmute(target: MuteTarget): Promise<boolean> {
      const isDone = await attempt(calls.remove(target))
      if (isDone && state)
        set({ ...state, mutes: state.mutes.filter(({ id, kind }) => id !== target.id || kind !== target.kind) })
      return isDone
    },
  }
}
