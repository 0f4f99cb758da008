import { isDeepStrictEqual } from 'node:util'
import type { Document } from 'mongodb'
import { Binary } from 'mongodb'
import type { ExpectedDocument } from './expected-documents.ts'

/** Describes each expected field that differs in the stored document; empty when none does. */
export function differences({ fields }: ExpectedDocument, stored: Document): string[] {
  return Object.entries(fields).flatMap(([name, expected]) => {
    const found = name === 'readStateAt' ? readStateTime(stored) : comparable(name, stored[name])
    return isDeepStrictEqual(found, expected)
      ? []
      : [`${name} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`]
  })
}

export const readStateFields = { readStateAt: 1, receiptAt: 1 } as const

/** The time of the newest mark or read receipt, whichever is later. */
export function readStateTime({ readStateAt, receiptAt }: Document): number | undefined {
  const times = [readStateAt, receiptAt].filter((time) => time instanceof Date).map((time) => time.getTime())
  return times.length === 0 ? undefined : Math.max(...times)
}

/** Dates as milliseconds, bytes as hex, and JSON so that the order of keys counts where it must. */
function comparable(name: string, value: unknown): unknown {
  if (value instanceof Date) return value.getTime()
  if (value instanceof Binary) return Buffer.from(value.buffer).toString('hex')
  if (typeof value !== 'string') return value
  if (name === 'metadata') {
    const { mention, add, edit } = JSON.parse(value)
    return { mention, add: JSON.stringify(add), edit: JSON.stringify(edit) }
  }
  return name === 'beforeState' || name === 'afterState' ? JSON.stringify(JSON.parse(value)) : value
}
