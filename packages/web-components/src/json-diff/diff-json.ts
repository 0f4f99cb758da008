import type { JsonValue } from '@herald/client'
import { diffArrays } from 'diff'
import { canonical, jsonEquals } from './json-equals.ts'

export type TextPart = { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }

/** The difference between two JSON values. */
export type Difference =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly value: JsonValue }
  | { readonly kind: 'replaced'; readonly before: JsonValue; readonly after: JsonValue }
  | { readonly kind: 'text'; readonly parts: readonly TextPart[] }
  | {
      readonly kind: 'object' | 'array'
      readonly members: readonly Member[]
      /** Set if the object or array itself was added or removed. */
      readonly whole?: 'added' | 'removed'
    }

/** A field of an object by its name, or an item of an array by its index: the new one, or the old one if it was removed. */
export type Member = { readonly name: string; readonly difference: Difference }

/** The work left for the comparison of two states; without any, the rest counts as replaced. */
type Work = {
  /** Characters of texts that are split into words. */
  characters: number
  /** Edits that the search for common parts tries: its time grows with their square. */
  edits: number
}

const newWork = (): Work => ({ characters: 200_000, edits: 1_500 })

/** Limit of one search; beyond it two arrays or texts count as replaced. */
const MAX_EDITS = 400
/** Minimum length for a comparison by words; shorter texts are easier to read side by side. */
const WORDWISE_FROM = 32

/** Compares two states of a field. `null` means that the field does not exist. */
export function diffStates(before: JsonValue, after: JsonValue): Difference {
  if (before === null && after !== null) return whole('added', after)
  if (after === null && before !== null) return whole('removed', before)
  return diffJson(before, after, newWork())
}

/** Reports a value with all its members as added or removed. */
function whole(kind: 'added' | 'removed', value: JsonValue): Difference {
  if (typeof value !== 'object' || value === null) return { kind, value }
  const members = Object.entries(value).map(([name, member]) => ({ name, difference: whole(kind, member) }))
  if (members.length === 0) return { kind, value }
  return { kind: Array.isArray(value) ? 'array' : 'object', members, whole: kind }
}

export function diffJson(before: JsonValue, after: JsonValue, work = newWork()): Difference {
  if (jsonEquals(before, after)) return { kind: 'same', value: after }
  if (Array.isArray(before) && Array.isArray(after)) return { kind: 'array', members: diffItems(before, after, work) }
  if (isObject(before) && isObject(after)) return { kind: 'object', members: diffFields(before, after, work) }
  if (typeof before === 'string' && typeof after === 'string') return diffText(before, after, work)
  return { kind: 'replaced', before, after }
}

function diffFields(before: JsonObject, after: JsonObject, work: Work): Member[] {
  const names = [...Object.keys(before), ...Object.keys(after).filter((name) => !Object.hasOwn(before, name))]
  return names.map((name) => {
    if (!Object.hasOwn(after, name)) return { name, difference: whole('removed', before[name] as JsonValue) }
    if (!Object.hasOwn(before, name)) return { name, difference: whole('added', after[name] as JsonValue) }
    return { name, difference: diffJson(before[name] as JsonValue, after[name] as JsonValue, work) }
  })
}

/** Finds the common parts of two lists. `undefined` if they are too different, or too much work was done already. */
function commonParts<T>(before: readonly T[], after: readonly T[], work: Work) {
  const maxEditLength = Math.min(MAX_EDITS, work.edits)
  const parts = diffArrays([...before], [...after], { maxEditLength })
  const edits = parts?.reduce((sum, { added, removed, value }) => sum + (added || removed ? value.length : 0), 0)
  work.edits -= Math.min(edits ?? maxEditLength, maxEditLength)
  return parts
}

/** Numbers that are equal for equal items, because a search compares each of them often. */
function numbered(lists: readonly (readonly JsonValue[])[]): number[][] {
  const numbers = new Map<string, number>()
  const numberOf = (item: JsonValue) => {
    const text = canonical(item)
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }
  return lists.map((list) => list.map(numberOf))
}

function diffItems(before: readonly JsonValue[], after: readonly JsonValue[], work: Work): Member[] {
  const [old = [], current = []] = numbered([before, after])
  let [oldAt, at] = [0, 0]
  const parts = commonParts(old, current, work)?.map(({ added, removed, value: { length } }) => {
    const value = removed ? before.slice(oldAt, oldAt + length) : after.slice(at, at + length)
    if (!added) oldAt += length
    if (!removed) at += length
    return { added, removed, value }
  })
  const runs = parts ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ]
  const members: Member[] = []
  let gone: JsonValue[] = []
  let oldPlace = 0
  let place = 0
  const flush = () => {
    for (const value of gone) members.push({ name: String(oldPlace++), difference: whole('removed', value) })
    gone = []
  }
  for (const { added, removed, value } of runs) {
    if (removed) {
      gone = [...value]
      continue
    }
    // An item added at the position of a removed one is that item, changed.
    const values = [...value]
    if (added) {
      while (gone.length > 0 && values.length > 0) {
        const difference = diffJson(gone.shift() as JsonValue, values.shift() as JsonValue, work)
        members.push({ name: String(place++), difference })
        oldPlace++
      }
    }
    flush()
    for (const item of values) {
      members.push({ name: String(place++), difference: added ? whole('added', item) : { kind: 'same', value: item } })
      if (!added) oldPlace++
    }
  }
  flush()
  return members
}

function diffText(before: string, after: string, work: Work): Difference {
  const characters = before.length + after.length
  const isShort = Math.min(before.length, after.length) < WORDWISE_FROM
  if (isShort || characters > work.characters || work.edits <= 0) return { kind: 'replaced', before, after }
  work.characters -= characters
  const parts = commonParts(wordsOf(before), wordsOf(after), work)?.map(
    ({ added, removed, value }): TextPart => ({
      kind: added ? 'added' : removed ? 'removed' : 'same',
      text: value.join(''),
    }),
  )
  const kept = parts?.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.length : 0), 0) ?? 0
  // A text that shares little with the old one is shown as replaced.
  if (!parts || kept * 3 < Math.max(before.length, after.length)) return { kind: 'replaced', before, after }
  return { kind: 'text', parts }
}

/** Words, and what is between them, in any language. */
const wordsOf = (text: string) =>
  [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)].map(({ segment }) => segment)

type JsonObject = { [key: string]: JsonValue }

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
