import { type FoundDeadLetter, originOf } from './found-dead-letter.ts'

/** Which dead letters are meant: all, those of a code, those of an origin (`topic`, `topic/partition` or a whole one). */
export type Selection = { readonly code?: string | undefined; readonly origin?: string | undefined }

export function isSelected(letter: FoundDeadLetter, { code, origin }: Selection): boolean {
  if (code !== undefined && letter.code !== code) return false
  return origin === undefined || originOf(letter) === origin || originOf(letter).startsWith(`${origin}/`)
}
