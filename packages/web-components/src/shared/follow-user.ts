import type { HeraldClient, TokenUser } from '@herald/client'

/** Milliseconds after which it is asked again whose token it is. */
const checkMs = 45_000

/** Calls when another user is signed in, or nobody, for what asks Herald only at a reader's word. */
export function followUser(
  session: HeraldClient['session'] | undefined,
  { onOther, signal }: { readonly onOther: () => void; readonly signal: AbortSignal },
): void {
  if (!session) return
  const check = () => void session.user().catch(() => {})
  let user: TokenUser | undefined
  const unsubscribe = session.onUser((next) => {
    const before = user
    user = next
    if (before !== undefined && before !== next) onOther()
  })
  const timer = setInterval(check, checkMs)
  document.addEventListener('visibilitychange', () => document.hidden || check(), { signal })
  signal.addEventListener('abort', () => {
    unsubscribe()
    clearInterval(timer)
  })
}
