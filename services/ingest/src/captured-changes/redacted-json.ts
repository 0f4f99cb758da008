import { redacted } from './row-states.ts'

/** Functions from JSON text to the same JSON without the values of some fields; `undefined` if the text is not JSON. */
export type JsonRedaction = {
  readonly redactValue: (text: string) => string | undefined
  readonly redactKey: (text: string) => string | undefined
}

// Numbers are kept as they were written. TypeScript does not know this part of ES2026 yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
}
const keepNumber = (_key: string, value: unknown, context?: { readonly source?: string }) =>
  typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value

type Members = Record<string, unknown>
const isMembers = (node: unknown): node is Members =>
  typeof node === 'object' && node !== null && !Array.isArray(node) && !isRawJSON(node)

/** Parts of an envelope, of Debezium's CloudEvents and of the schema form that contain rows. */
const containers = new Set(['payload', 'data'])
const states = new Set(['before', 'after', 'updateDescription'])

export function createJsonRedaction(fields: readonly string[]): JsonRedaction {
  const hidden = new Set(fields)
  const isHidden = (key: string) => hidden.has(key) || fields.some((field) => key.startsWith(`${field}.`))

  const redactText = (text: string, redactNode: (node: unknown) => unknown): string | undefined => {
    try {
      return JSON.stringify(redactNode(JSON.parse(text, keepNumber)))
    } catch {
      return undefined
    }
  }

  /** MongoDB's rows are JSON within a string. */
  const redactString = (text: string): string => {
    if (!/^\s*[{[]/.test(text) || !fields.some((field) => text.includes(field))) return text
    return redactText(text, redactRow) ?? redacted
  }

  const redactRow = (node: unknown): unknown => {
    if (typeof node === 'string') return redactString(node)
    if (Array.isArray(node)) return node.map(redactRow)
    if (!isMembers(node)) return node
    return mapMembers(node, (key, value) => (isHidden(key) ? redacted : redactRow(value)))
  }

  const isEnvelope = (node: Members) =>
    node.op !== undefined || node.specversion !== undefined || 'before' in node || 'after' in node

  /** Within an envelope only the rows are redacted, since a column may be named like a field of the envelope. */
  const redactDocument = (node: unknown): unknown => {
    if (!isMembers(node)) return redactRow(node)
    if (node.schema !== undefined && node.payload !== undefined) {
      return { ...node, payload: redactDocument(node.payload) }
    }
    if (!isEnvelope(node)) return redactRow(node)
    return mapMembers(node, (key, value) => {
      if (states.has(key)) return redactRow(value)
      if (containers.has(key)) return redactDocument(value)
      return key === 'source' && isMembers(value) ? withoutQuery(value) : value
    })
  }

  return {
    redactValue: (text) => redactText(text, redactDocument),
    redactKey: (text) => redactText(text, redactRow),
  }
}

const mapMembers = (node: Members, map: (key: string, value: unknown) => unknown): Members =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, map(key, value)]))

/** The statement, which a connector with `include.query` writes, may contain any value. */
function withoutQuery(source: Members): Members {
  return source.query === undefined || source.query === null ? source : { ...source, query: redacted }
}
