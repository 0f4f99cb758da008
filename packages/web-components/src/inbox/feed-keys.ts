/** From the place of the focused item, −1 outside of the list, to that of another one. */
const steps: Readonly<Record<string, (at: number, last: number) => number>> = {
  PageDown: (at) => at + 1,
  PageUp: (at) => at - 1,
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  j: (at) => at + 1,
  k: (at) => at - 1,
  Home: () => 0,
  End: (_at, last) => last,
}
/** Keys that enter the list; others are left to the focused element. */
const entering = ['ArrowDown', 'PageDown', 'j']

export const isPlainKey = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => !(ctrlKey || metaKey || altKey)

/**
 * The place to which a key moves the focus in a feed: Page Up and Page Down (ARIA Authoring Practices, feed pattern), and also
 * arrows, j and k, Home and End. `undefined` if the key moves nothing.
 */
export function placeAfter(key: string, at: number, last: number): number | undefined {
  const step = steps[key]
  if (step === undefined || (at < 0 && !entering.includes(key))) return undefined
  return Math.min(Math.max(step(at, last), 0), last)
}
