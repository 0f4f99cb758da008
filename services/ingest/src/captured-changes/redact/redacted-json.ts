import type { JsonValue } from '@herald/contracts'
import { isDebeziumCloudEvent } from '../read/debezium-cloud-event.ts'
import { hasSchema } from '../read/json-document.ts'
import { countMembers, countValues, mostMembers, mostSourcedValues } from '../read/lossless-json.ts'

/** The texts that may be one of these names in another Unicode form are not longer, in UTF-16 code units. */
const longestFormOf = (names: readonly string[]) =>
  2 * Math.max(0, ...names.map((name) => name.normalize('NFD').length))

/** Whether a name is one of these. The Unicode forms of a name are equal. */
export function createNameCheck(names: readonly string[]): (name: string) => boolean {
  const known = new Set(names.map((name) => name.normalize()))
  const longest = longestFormOf(names)
  return (name) => name.length <= longest && known.has(name.normalize())
}

/** Sorting the marks of such a run takes a time quadratic in its length. The Stream-Safe Text Format of UAX #15 has none. */
const manyMarks = /\p{M}{31}/u

export const redacted = '[redacted]'

// Numbers are kept as they were written. TypeScript does not know this part of ES2026 yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
}
const keepNumber = (_key: string, value: unknown, context?: { readonly source?: string }) =>
  typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
    ? rawJSON(context.source)
    : value

/** Limits the texts of one record, so that none of them holds up the event loop for long. */
const mostBytes = 2 * 1024 * 1024

/** A text that looks like JSON and is not takes as long as a few members. */
const membersPerText = 3

/** Creates a parser that keeps numbers as they were written. It throws a RangeError where a record is too large. */
function createBoundedParser() {
  let [bytes, members, values] = [mostBytes, mostMembers, mostSourcedValues]
  return (text: string): JsonValue => {
    bytes -= text.length
    if (bytes < 0) throw new RangeError('Too many bytes')
    members -= countMembers(text, members) + membersPerText
    if (members < 0) throw new RangeError('Too many members')
    const plain: JsonValue = JSON.parse(text)
    // So all numbers are as `JSON.stringify` writes them.
    if (JSON.stringify(plain) === text) return plain
    values -= countValues(plain, values)
    if (values < 0) throw new RangeError('Too many values')
    return JSON.parse(text, keepNumber)
  }
}

type Members = Record<string, JsonValue>
const isMembers = (node: unknown): node is Members =>
  typeof node === 'object' && node !== null && !Array.isArray(node) && !isRawJSON(node)

const states = new Set(['before', 'after', 'updateDescription'])

/** Not a row that has columns of these names. */
const isEnvelope = ({ op, source }: Members) =>
  typeof op === 'string' && isMembers(source) && typeof source.connector === 'string'

/** From JSON to the same without the values of some fields; `undefined` if it is not JSON, or would take too long. */
export function createJsonRedaction(fields: readonly string[]) {
  const names = fields.map((field) => field.normalize())
  const isField = createNameCheck(fields)
  const longest = longestFormOf(fields)
  const isHidden = (key: string) => {
    if (isField(key)) return true
    if (!key.includes('.')) return false
    const start = key.slice(0, longest + 1).normalize()
    return names.some((name) => start.startsWith(`${name}.`))
  }
  const mentionsField = (text: string) => {
    const unescaped = text.replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    if (manyMarks.test(unescaped)) return true
    const normal = unescaped.normalize()
    return names.some((name) => normal.includes(name))
  }

  return () => {
    const parse = createBoundedParser()
    const redactText = (text: string, redactNode: (node: JsonValue) => JsonValue): string | undefined => {
      try {
        return JSON.stringify(redactNode(parse(text)))
      } catch {
        return undefined
      }
    }

    /** MongoDB's rows are JSON within a string. */
    const redactString = (text: string): string => {
      if (!/^\s*[{[]/.test(text)) return text
      try {
        return JSON.stringify(redactRow(parse(text)))
      } catch (error) {
        // One that takes too long may name a field in another way.
        if (!(error instanceof SyntaxError)) throw error
        return mentionsField(text) ? redacted : text
      }
    }

    const redactRow = (node: JsonValue): JsonValue => {
      if (typeof node === 'string') return redactString(node)
      if (Array.isArray(node)) return node.map(redactRow)
      if (!isMembers(node)) return node
      return mapMembers(node, (key, value) => (isHidden(key) ? redacted : redactRow(value)))
    }

    /** A column may be named like a field of an envelope, of which only the rows are redacted. */
    const redactDocument = (node: JsonValue): JsonValue => {
      if (hasSchema(node)) return { ...node, payload: redactDocument(node.payload) }
      if (!isMembers(node)) return redactRow(node)
      if (isDebeziumCloudEvent(node)) {
        return mapMembers(withoutStatement(node, 'iodebeziumquery'), (key, value) =>
          key === 'data' ? redactContent(value) : value,
        )
      }
      if (!isEnvelope(node)) return redactRow(node)
      return mapMembers(node, (key, value) => {
        if (states.has(key)) return redactRow(value)
        return key === 'source' && isMembers(value) ? withoutStatement(value, 'query') : value
      })
    }

    /** The data of a CloudEvent: the states, or a row without an envelope. */
    const redactContent = (node: JsonValue): JsonValue => {
      if (hasSchema(node)) return { ...node, payload: redactContent(node.payload) }
      const hasStates = isMembers(node) && Object.keys(node).every((key) => states.has(key))
      return hasStates ? mapMembers(node, (_, value) => redactRow(value)) : redactRow(node)
    }

    return {
      redactValue: (text: string) => redactText(text, redactDocument),
      redactKey: (text: string) => redactText(text, redactRow),
    }
  }
}

const mapMembers = (node: Members, map: (key: string, value: JsonValue) => JsonValue): Members =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, map(key, value)]))

/** The statement, which a connector with `include.query` writes, may contain any value. */
function withoutStatement(node: Members, name: string): Members {
  return node[name] === undefined || node[name] === null ? node : { ...node, [name]: redacted }
}
