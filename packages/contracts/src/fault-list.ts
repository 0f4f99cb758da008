import type { InputFault } from './error-codes.ts'
import { limits } from './limits.ts'

/** Faults of one input, as they are found: however many there are and wherever they are, they stay small. */
export type FaultList = {
  add(pointer: string, detail: string): void
  /** How many were added. */
  count(): number
  /**
   * @returns at most {@link limits.faults} of them, of {@link limits.faultBytes} as JSON; where there are more, the last
   *   entry says how many
   */
  toArray(): InputFault[]
}

export function createFaultList(): FaultList {
  const kept: InputFault[] = []
  let count = 0
  let bytes = 0
  return {
    add(pointer, detail) {
      count++
      // One that does not fit closes the list, so that none is left out between two that are told.
      if (kept.length >= limits.faults || bytes > limits.faultBytes) return
      const fault = { pointer: cutText(pointer), detail: cutText(detail) }
      bytes += Buffer.byteLength(JSON.stringify(fault)) + 1
      if (bytes <= limits.faultBytes) kept.push(fault)
    },
    count: () => count,
    toArray() {
      if (kept.length === count) return kept
      const told = kept.slice(0, limits.faults - 1)
      return [...told, { pointer: '', detail: `${count - told.length} more faults` }]
    },
  }
}

/** The place below `parent`, as RFC 6901 has it, cut as it is made: a key may be a megabyte. */
export function pointerTo(parent: string, key: PropertyKey): string {
  if (parent.length >= limits.faultCharacters) return parent
  return cutText(`${parent}/${cutText(String(key)).replaceAll('~', '~0').replaceAll('/', '~1')}`)
}

/** At most {@link limits.faultCharacters}, whole ones, with an ellipsis where something was cut off. */
function cutText(text: string): string {
  if (text.length <= limits.faultCharacters) return text
  return `${text.slice(0, limits.faultCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
