import type { JsonValue } from '@herald/contracts'
import { isDebeziumCloudEvent } from '../read/debezium-cloud-event.ts'
import { hasSchema } from '../read/json-document.ts'
import { countJson, countValues, mostMembers, mostSourcedValues } from '../read/lossless-json.ts'
import { isConnector } from '../read/row-change.ts'

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
    members -= countJson(text, members).members + membersPerText
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
const times = ['ts_ms', 'ts_us', 'ts_ns']

/** Fields that the connectors write themselves; a column may have the same name. */
const ownMembers = {
  envelope: new Set(['op', ...times]),
  source: new Set([
    ...['version', 'connector', 'name', 'snapshot', 'db', 'schema', 'table', 'collection', 'sequence', ...times],
    ...['txId', 'lsn', 'xmin', 'origin', 'origin_lsn', 'server_id', 'gtid', 'file', 'pos', 'row', 'thread'],
    ...['ord', 'lsid', 'txnNumber', 'wallTime'],
  ]),
  transaction: new Set(['id', 'total_order', 'data_collection_order']),
  schema: new Set(['type', 'optional', 'field', 'name', 'version', 'doc']),
}
/** CloudEvents attributes; Debezium's own begin with `iodebezium`. */
const ownAttributes = new Set([
  'id',
  'source',
  'specversion',
  'type',
  'time',
  'datacontenttype',
  'dataschema',
  'subject',
])
const isOwnAttribute = (name: string) => ownAttributes.has(name) || name.startsWith('iodebezium')

const operations: ReadonlySet<JsonValue | undefined> = new Set(['c', 'u', 'd', 'r', 't', 'm'])

/** A record of a connector whose records are read. Anything else may hold a field anywhere. */
const isEnvelope = ({ op, source }: Members) => operations.has(op) && isMembers(source) && isConnector(source.connector)

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

    /** Members that a connector writes itself are kept, others are like those of a row. */
    const redactOthers = (node: JsonValue | undefined, own: ReadonlySet<string>): JsonValue =>
      isMembers(node)
        ? mapMembers(node, (key, value) => (own.has(key) ? redactRow(value) : redactMember(key, value)))
        : redactRow(node ?? null)
    const redactMember = (key: string, value: JsonValue) => (isHidden(key) ? redacted : redactRow(value))

    /** A column may be named like a member of an envelope, of which only what is not the connector's own is redacted. */
    const redactDocument = (node: JsonValue): JsonValue => {
      if (hasSchema(node)) return { schema: redactSchema(node.schema), payload: redactDocument(node.payload) }
      if (!isMembers(node)) return redactRow(node)
      if (isDebeziumCloudEvent(node)) {
        return mapMembers(withoutStatement(node, 'iodebeziumquery'), (key, value) => {
          if (key === 'data') return redactContent(value)
          return isOwnAttribute(key) ? value : redactMember(key, value)
        })
      }
      if (!isEnvelope(node)) return redactRow(node)
      return mapMembers(node, (key, value) => {
        if (states.has(key)) return redactRow(value)
        if (key === 'source') return redactOthers(withoutStatement(value as Members, 'query'), withQuery)
        if (key === 'transaction') return redactOthers(value, ownMembers.transaction)
        return ownMembers.envelope.has(key) ? redactRow(value) : redactMember(key, value)
      })
    }

    const redactKeyNode = (node: JsonValue): JsonValue =>
      hasSchema(node) ? { schema: redactSchema(node.schema), payload: redactRow(node.payload) } : redactRow(node)

    /** The data of a CloudEvent: the states, or a row without an envelope. */
    const redactContent = (node: JsonValue): JsonValue => {
      if (hasSchema(node)) return { schema: redactSchema(node.schema), payload: redactContent(node.payload) }
      const hasStates = isMembers(node) && Object.keys(node).every((key) => states.has(key))
      return hasStates ? mapMembers(node, (_, value) => redactRow(value)) : redactRow(node)
    }

    /** A schema has the names of the columns, and may have their defaults and allowed values. */
    const redactSchema = (node: JsonValue | undefined): JsonValue => {
      if (Array.isArray(node)) return node.map(redactSchema)
      if (!isMembers(node)) return node ?? null
      const isOfField = typeof node.field === 'string' && isHidden(node.field)
      return mapMembers(node, (key, value) => {
        if (nestedSchemas.has(key)) return redactSchema(value)
        if (ownMembers.schema.has(key)) return redactRow(value)
        return isOfField ? redacted : redactMember(key, value)
      })
    }

    return {
      redactValue: (text: string) => redactText(text, redactDocument),
      redactKey: (text: string) => redactText(text, redactKeyNode),
      /** A header whose text may be JSON. */
      redactHeader: (text: string): string => {
        try {
          return redactString(text)
        } catch {
          return redacted
        }
      },
      isField,
    }
  }
}

const withQuery: ReadonlySet<string> = new Set([...ownMembers.source, 'query'])
const nestedSchemas = new Set(['fields', 'items', 'keys', 'values'])

const mapMembers = (node: Members, map: (key: string, value: JsonValue) => JsonValue): Members =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, map(key, value)]))

/** The statement, which a connector with `include.query` writes, may contain any value. */
function withoutStatement(node: Members, name: string): Members {
  return node[name] === undefined || node[name] === null ? node : { ...node, [name]: redacted }
}
