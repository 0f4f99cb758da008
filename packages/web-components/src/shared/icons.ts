import { svg, type TemplateResult } from 'lit'

/** An icon on a 24-unit grid with round strokes. Decorative: hidden from screen readers. */
function icon(content: TemplateResult, size = 20) {
  return svg`<svg width=${size} height=${size} viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${content}</svg>`
}

const bell = svg`<path d="M6 9.5a6 6 0 0 1 12 0c0 5.2 2 6.5 2 7.5H4c0-1 2-2.3 2-7.5ZM10 20.2a2.3 2.3 0 0 0 4 0"/>`
export const bellIcon = () => icon(bell, 22)
export const mutedIcon = (size = 18) => icon(svg`${bell}<path d="m3 3 18 18"/>`, size)
export const checkIcon = (size = 16) => icon(svg`<path d="m5 12.5 4.5 4.5L19 7.5"/>`, size)
export const checksIcon = (size = 16) => icon(svg`<path d="m2 13 4 4 8.5-9.5"/><path d="m12.5 16.3.7.7L22 7.5"/>`, size)
export const unreadIcon = (size = 16) =>
  icon(svg`<circle cx="12" cy="12" r="8"/><circle cx="12" cy="12" r="3" fill="currentColor" stroke="none"/>`, size)
export const archiveIcon = (size = 16) => icon(svg`<path d="M3 4.5h18v4H3zm2 4v10h14v-10M10 12.5h4"/>`, size)
export const moreIcon = (size = 16) => icon(svg`<path stroke-width="3" d="M5 12h.01M12 12h.01M19 12h.01"/>`, size)
export const closeIcon = (size = 16) => icon(svg`<path d="M6 6 18 18M18 6 6 18"/>`, size)
export const keyboardIcon = (size = 18) =>
  icon(
    svg`<rect x="2.5" y="6" width="19" height="12" rx="2.5"/><path d="M6.5 10h.01M10 10h.01M14 10h.01M17.5 10h.01M8 14h8"/>`,
    size,
  )
export const arrowUpIcon = (size = 14) => icon(svg`<path d="M12 19V5m-6 6 6-6 6 6"/>`, size)
export const downloadIcon = (size = 16) => icon(svg`<path d="M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 19.5h14"/>`, size)
export const refreshIcon = (size = 16) =>
  icon(svg`<path d="M19.5 12a7.5 7.5 0 1 1-2.2-5.3L20 9"/><path d="M20 4v5h-5"/>`, size)
export const filterIcon = (size = 16) => icon(svg`<path d="M4 6.5h16M7 12h10M10 17.5h4"/>`, size)
export const plusIcon = (size = 14) => icon(svg`<path d="M12 5v14M5 12h14"/>`, size)
export const minusIcon = (size = 14) => icon(svg`<path d="M5 12h14"/>`, size)
export const pencilIcon = (size = 14) => icon(svg`<path d="M5 19l.8-3.8L16 5l3 3L8.8 18.2z"/>`, size)
export const sparkIcon = (size = 10) =>
  icon(svg`<path d="M12 3l2.2 6.8L21 12l-6.8 2.2L12 21l-2.2-6.8L3 12l6.8-2.2z" fill="currentColor"/>`, size)
export const offlineIcon = (size = 16) =>
  icon(svg`<path d="m3 3 18 18M5 12.5a10 10 0 0 1 14 0M8.5 16a5 5 0 0 1 7 0M12 19.5h.01"/>`, size)
export const warningIcon = (size = 16) =>
  icon(svg`<path d="M12 4 2.8 19.5h18.4L12 4Z"/><path d="M12 10v4.5M12 17h.01"/>`, size)
export const emptyInboxIcon = () =>
  icon(
    svg`<path d="M4 13.5 6.5 6h11L20 13.5V18a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1z"/><path d="M4 13.5h4.5l1.2 2.2h4.6l1.2-2.2H20"/>`,
    30,
  )
export const sealIcon = (size = 14) =>
  icon(svg`<path d="M12 3 5 6v5c0 4.5 2.8 8 7 10 4.2-2 7-5.5 7-10V6z"/><path d="m9 11.5 2.2 2.2 4-4.4"/>`, size)
export const logIcon = () => icon(svg`<circle cx="12" cy="12" r="8"/><path d="M12 7.5V12l3 2"/>`, 30)
