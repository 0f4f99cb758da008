import type { CallOptions, Marked, Notification } from '@herald/client'
import { isAt, isRestoring, type Mark } from './changes.ts'
import type { PendingMark } from './inbox-state.ts'
import type { InboxStore } from './inbox-store.ts'

export type InboxMarksDependencies = {
  readonly store: InboxStore
  /** Milliseconds in which an archive can be undone, before it is saved. */
  readonly undoMs: number
  /** Aborted when another user is signed in: nothing is sent any more. */
  readonly dropped: AbortSignal
  readonly onFailed: (mark: Mark, error: unknown) => void
}

type Answer = Notification | Marked
type Send = (options: CallOptions) => Promise<Answer>
type Held = {
  readonly mark: Mark
  readonly send: (isLeaving: boolean) => void
  readonly drop: (isDone: boolean) => void
}

/** Shows marks at once, and saves them one at a time, so that the last click wins. */
export function createInboxMarks({ store, undoMs, dropped: signal, onFailed }: InboxMarksDependencies) {
  let queue: Promise<unknown> = Promise.resolve()
  /** Marks of the queue that are not sent yet, and the one that is not answered yet. */
  const waiting = new Set<PendingMark>()
  let sending: PendingMark | undefined
  let held: Held | undefined
  /** Bulk marks of groups whose events have not arrived yet. */
  const awaited = new Set<Mark>()

  function show(mark: Mark): PendingMark {
    const pending = { mark }
    store.set({ pending: [...store.state.pending, pending] })
    return pending
  }

  function without(pending: PendingMark) {
    const { undoable, pending: all } = store.state
    const left = all.filter((other) => other !== pending)
    return { pending: left, undoable: undoable === pending ? undefined : undoable }
  }

  /** Sends it after those before. Resolves to `undefined` if it was overtaken, and is not sent. */
  async function sendInTurn(pending: PendingMark, send: Send): Promise<Answer | undefined> {
    waiting.add(pending)
    await queue
    if (!waiting.delete(pending)) return undefined
    sending = pending
    return send({ signal }).finally(() => {
      sending = undefined
    })
  }

  /** Sends it before those that wait. Drops those that it replaces; if one of them is on its way, sends it once more after that. */
  function sendAtOnce({ mark }: PendingMark, send: Send): Promise<Answer> {
    for (const earlier of waiting) {
      if (!isReplacedBy(earlier.mark, mark)) continue
      waiting.delete(earlier)
      store.set(without(earlier))
    }
    const sent = send({ keepalive: true, signal })
    if (!sending || !isReplacedBy(sending.mark, mark)) return sent
    return Promise.allSettled([queue, sent]).then(() => send({ signal }))
  }

  async function save(pending: PendingMark, send: Send, isLeaving: boolean): Promise<boolean> {
    const { mark } = pending
    if (!mark.ids && store.state.groups) awaited.add(mark)
    const sent = isLeaving ? sendAtOnce(pending, send) : sendInTurn(pending, send)
    queue = Promise.allSettled([queue, sent])
    try {
      const answer = await store.counted(sent)
      if (answer === undefined) return false
      store.apply('id' in answer ? confirmed(mark, answer) : mark, without(pending))
      if ('updated' in answer) {
        const { updated, unreadCount, unseenCount } = answer
        store.set({ unreadCount, unseenCount })
        if (updated === 0) awaited.delete(mark)
      }
      return true
    } catch (error) {
      awaited.delete(mark)
      store.set(without(pending))
      onFailed(mark, error)
      return false
    }
  }

  return {
    /** @param isLeaving whether the page may be left at this moment */
    save: (mark: Mark, send: Send, isLeaving = false) => save(show(mark), send, isLeaving),
    /** Saves a mark when it can no longer be undone, or when the next one is held. Resolves to whether it was saved. */
    hold(mark: Mark, send: Send): Promise<boolean> {
      held?.send(false)
      const pending = show(mark)
      store.set({ undoable: pending })
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer)
          held = undefined
        }
        const current = {
          mark,
          send(isLeaving: boolean) {
            end()
            store.set({ undoable: undefined })
            resolve(save(pending, send, isLeaving))
          },
          drop(isDone: boolean) {
            end()
            store.set(without(pending))
            resolve(isDone)
          },
        }
        const timer = setTimeout(() => current.send(false), undoMs)
        held = current
      })
    },
    undo: () => held?.drop(false),
    /** Saves what is held, because the page may be left. */
    leave: () => held?.send(true),
    /** The event of a small bulk mark lists ids, some of which a group has not loaded. Returns the bulk mark if it was made here. */
    explained(event: Mark): Mark {
      const type = event.ids ? `bulk-${event.type}` : event.type
      const isIt = (mark: Mark) =>
        mark.type === type && (event.ids ? event.ids.every((id) => id <= String(mark.upTo)) : mark.upTo === event.upTo)
      const mark = [...awaited].find(isIt)
      if (!mark || isRestoring(event)) return event
      awaited.delete(mark)
      return event.ids ? mark : event
    },
    /** Drops the held mark if a mark made elsewhere includes it. */
    settle(mark: Mark): void {
      if (held && isDoneBy(held.mark, mark)) held.drop(true)
    },
  }
}

/** The mark with the time that Herald has set. */
function confirmed(mark: Mark, { readAt, archivedAt }: Notification): Mark {
  return mark.readAt === undefined ? { ...mark, archivedAt: archivedAt ?? null } : { ...mark, readAt }
}

/** Whether a later mark leaves nothing of this one. */
const isReplacedBy = ({ type, ids }: Mark, later: Mark) =>
  type === later.type && ids?.every((id) => later.ids?.includes(id)) === true

/** Whether a mark made elsewhere has archived or removed all that is held. */
function isDoneBy(held: Mark, mark: Mark): boolean {
  const { ids, upTo, status, readAt } = mark
  if (readAt !== undefined || isRestoring(mark)) return false
  if (held.ids) return held.ids.every((id) => ids?.includes(id))
  return !ids && !status && isAt(mark, held) && (upTo == null || String(held.upTo) <= upTo)
}
