/** Pixels after which a swipe acts. */
const enoughPixels = 90

export type Towards = 'start' | 'end'

export type Swipes = ReturnType<typeof createSwipes>

/**
 * Follows a finger across a notification. The direction is that of reading: in a page from right to left, `start` is on the
 * right.
 */
export function createSwipes(onSwipe: (id: string, towards: Towards) => void) {
  let swiped: { readonly article: HTMLElement; readonly x: number; readonly sign: number } | undefined

  function end(isDone: boolean, x = 0): void {
    if (!swiped) return
    const { article, sign } = swiped
    const pixels = (x - swiped.x) * sign
    swiped = undefined
    article.style.removeProperty('--swipe')
    delete article.dataset.swipe
    if (isDone && Math.abs(pixels) >= enoughPixels) onSwipe(String(article.dataset.id), pixels < 0 ? 'start' : 'end')
  }

  return {
    down({ pointerType, target, clientX: x }: PointerEvent): void {
      const article = (target as HTMLElement).closest('article')
      if (pointerType !== 'touch' || !article) return
      swiped = { article, x, sign: getComputedStyle(article).direction === 'rtl' ? -1 : 1 }
    },
    move({ clientX }: PointerEvent): void {
      if (!swiped) return
      const { article, x, sign } = swiped
      const pixels = clientX - x
      article.style.setProperty('--swipe', `${pixels}px`)
      article.dataset.swipe = `${pixels * sign < 0 ? 'start' : 'end'}${Math.abs(pixels) >= enoughPixels ? ' enough' : ''}`
    },
    up: ({ clientX }: PointerEvent) => end(true, clientX),
    cancel: () => end(false),
  }
}
