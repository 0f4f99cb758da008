/** What is said of several things that happen at once: the last of each kind, when nothing has come for a moment. */
const QUIET_MS = 400

/**
 * Feeds a polite live region. What comes in quick succession is said once, by `summarise`; the text is taken away
 * afterwards, so that a reader does not find it later, and the same text can be said again.
 */
export function createAnnouncer(say: (text: string) => void, clearAfterMs = 5_000) {
  let waiting: string[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    say([...new Set(waiting)].join('. '))
    waiting = []
    timer = setTimeout(() => say(''), clearAfterMs)
  }

  return {
    announce(text: string): void {
      waiting.push(text)
      clearTimeout(timer)
      timer = setTimeout(flush, QUIET_MS)
    },
    stop(): void {
      clearTimeout(timer)
      waiting = []
    },
  }
}
