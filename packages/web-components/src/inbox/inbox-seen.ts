import type { Notifications } from '@herald/client'
import type { InboxStore } from './inbox-store.ts'

/** Pauses between two calls, and after one that did not reach what is shown. */
const [PAUSE_MS, LONG_PAUSE_MS] = [1_000, 30_000]

/** Marks what is shown as seen, at most once in a while. */
export function createInboxSeen(markSeen: Notifications['markSeen'], store: InboxStore) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isBusy = false

  return {
    /** Marks the newest notification shown, and all below it. */
    async see(upTo: string | undefined): Promise<void> {
      const { seenUpTo, listing } = store.state
      if (isBusy || listing === 'archived' || !upTo || seenUpTo === undefined || upTo <= (seenUpTo ?? '')) return
      isBusy = true
      const seen = await store.counted(markSeen({ upTo })).catch(() => undefined)
      if (seen) store.set({ seenUpTo: seen.seenUpTo, unseenCount: seen.unseenCount })
      const again = () => {
        isBusy = false
        store.set({})
      }
      timer = setTimeout(again, seen?.seenUpTo === upTo ? PAUSE_MS : LONG_PAUSE_MS)
    },
    stop: () => clearTimeout(timer),
  }
}
