/** Pause after which collected announcements are made together. */
const QUIET_MS = 400

/**
 * Writes to a polite live region. Texts in quick succession are joined, without duplicates. The text is cleared afterwards, so
 * that a screen reader does not find it later and the same text can be announced again.
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
