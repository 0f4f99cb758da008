/** Between the panel and the edges of the window. */
const MARGIN = 12
const GAP = 8

/** Puts a popover below the button that opened it, within the window, its end at the button's end where that fits. */
export function placeBelow(anchor: HTMLElement, panel: HTMLElement): void {
  const { bottom, left, right } = anchor.getBoundingClientRect()
  const width = panel.offsetWidth
  const isRightToLeft = getComputedStyle(anchor).direction === 'rtl'
  const wanted = isRightToLeft ? left : right - width
  const furthest = document.documentElement.clientWidth - width - MARGIN
  panel.style.left = `${Math.max(MARGIN, Math.min(wanted, furthest))}px`
  panel.style.top = `${bottom + GAP}px`
  panel.style.maxHeight = `${Math.max(240, window.innerHeight - bottom - GAP - MARGIN)}px`
}
