import type { ChangeEntries, ChangeEntry, ChangeEntryFilters } from '@herald/client'

export type ChangeLogState = {
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly error?: unknown
  readonly more: 'idle' | 'loading' | 'failed'
  readonly entries: readonly ChangeEntry[]
  readonly nextCursor: string | null
}

export const emptyChangeLog: ChangeLogState = { phase: 'loading', more: 'idle', entries: [], nextCursor: null }

export type ChangeLogFeedDependencies = {
  readonly changeEntries: Pick<ChangeEntries, 'list'>
  readonly onChange: (state: ChangeLogState) => void
  readonly pageSize?: number
}

export type ChangeLogFeed = ReturnType<typeof createChangeLogFeed>

/** Pages through the change log. Changing the filters aborts requests in flight. */
export function createChangeLogFeed({ changeEntries, onChange, pageSize = 30 }: ChangeLogFeedDependencies) {
  let state = emptyChangeLog
  let filters: ChangeEntryFilters = {}
  let current = new AbortController()

  function set(change: Partial<ChangeLogState>): void {
    state = { ...state, ...change }
    onChange(state)
  }

  return {
    async list(newFilters: ChangeEntryFilters): Promise<void> {
      current.abort()
      current = new AbortController()
      const { signal } = current
      filters = newFilters
      set({ phase: 'loading', more: 'idle', error: undefined })
      try {
        const { changeEntries: entries, nextCursor } = await changeEntries.list(
          { ...filters, limit: pageSize },
          { signal },
        )
        set({ phase: 'ready', entries, nextCursor })
      } catch (error) {
        if (!signal.aborted) set({ phase: 'failed', entries: [], nextCursor: null, error })
      }
    },
    async more(): Promise<void> {
      const { nextCursor: cursor, more, phase } = state
      if (cursor === null || more === 'loading' || phase !== 'ready') return
      const { signal } = current
      set({ more: 'loading' })
      try {
        const page = await changeEntries.list({ ...filters, limit: pageSize, cursor }, { signal })
        set({ more: 'idle', entries: [...state.entries, ...page.changeEntries], nextCursor: page.nextCursor })
      } catch {
        if (!signal.aborted) set({ more: 'failed' })
      }
    },
    stop: () => current.abort(),
  }
}
