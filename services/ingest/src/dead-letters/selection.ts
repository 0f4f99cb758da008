import { type FoundDeadLetter, originOf } from './found-dead-letter.ts'

/** Selects dead letters by code and by origin (`topic`, `topic/partition` or `topic/partition/offset`). */
export type Selection = { readonly code?: string | undefined; readonly origin?: string | undefined }

export function isSelected(letter: FoundDeadLetter, { code, origin }: Selection): boolean {
  if (code !== undefined && letter.code !== code) return false
  return origin === undefined || originOf(letter) === origin || originOf(letter).startsWith(`${origin}/`)
}
