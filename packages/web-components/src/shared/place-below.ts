/** Minimum distance in pixels between the panel and the window's edges. */
const MARGIN = 12
const GAP = 8

/** Places a popover below its button and within the window, with their ends aligned if that fits. */
export function placeBelow(anchor: HTMLElement, panel: HTMLElement): void {
  const { bottom, left, right } = anchor.getBoundingClientRect()
  const width = panel.offsetWidth
  const isRightToLeft = getComputedStyle(anchor).direction === 'rtl'
  const preferred = isRightToLeft ? left : right - width
  const maxLeft = document.documentElement.clientWidth - width - MARGIN
  panel.style.left = `${Math.max(MARGIN, Math.min(preferred, maxLeft))}px`
  panel.style.top = `${bottom + GAP}px`
  panel.style.maxHeight = `${Math.max(240, window.innerHeight - bottom - GAP - MARGIN)}px`
}
