import type { Change } from './changes.ts'
import { isUnclear } from './groups.ts'
import { emptyInbox, type InboxState, isMissing, withChange } from './inbox-state.ts'

export type InboxStore = ReturnType<typeof createInboxStore>

export type InboxStoreDependencies = {
  readonly onChange: (state: InboxState) => void
  /** A change cannot be applied exactly; the list has to be fetched again. */
  readonly onUnclear: () => void
}

/** Holds the state. Changes during a request are applied to its response as well. */
export function createInboxStore({ onChange, onUnclear }: InboxStoreDependencies) {
  let state = emptyInbox
  let countsReceived = 0
  const fetching = new Set<Change[]>()
  /** Ids that left the list since it was fetched. */
  const gone = new Set<string>()

  function set(change: Partial<InboxState>): void {
    state = { ...state, ...change }
    onChange(state)
  }

  return {
    get state() {
      return state
    },
    set,
    /** Applies a change that has happened. */
    apply(change: Change, more: Partial<InboxState> = {}): void {
      for (const changes of fetching) changes.push(change)
      const { groups } = state
      const isClear = groups ? !isUnclear(groups, change, (id) => gone.has(id)) : !isMissing(state, change)
      if ('ids' in change && change.readAt === undefined) for (const id of change.ids ?? []) gone.add(id)
      set(withChange({ ...state, ...more }, change))
      if (!isClear) onUnclear()
    },
    /** Sets the exact counts, which the stream sends. */
    count(counts: Pick<InboxState, 'unreadCount' | 'unseenCount'>): void {
      countsReceived++
      set(counts)
    },
    /** Waits for a response with counts. If the stream sent counts meanwhile, those are kept, because they may be newer. */
    async counted<Answer extends object | undefined>(call: Promise<Answer>): Promise<Answer> {
      const before = countsReceived
      const answer = await call
      if (answer === undefined || countsReceived === before) return answer
      const { unreadCount, unseenCount } = state
      return { ...answer, unreadCount, unseenCount }
    },
    async fetched<Answer>(request: Promise<Answer>, add: (answer: Answer) => InboxState): Promise<void> {
      const changes: Change[] = []
      fetching.add(changes)
      try {
        const after = add(await request)
        const { unreadCount } = state
        set({ ...changes.reduce(withChange, after), unreadCount })
      } finally {
        fetching.delete(changes)
      }
    },
    /** Call when the list is fetched again. */
    forget: () => gone.clear(),
  }
}
