import type { ValidationIssue } from './error-codes.ts'
import { createIssueList, type IssueList, pointerTo } from './issue-list.ts'

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

/** JSON Schema of any value without the key `__proto__`. The documents have it under this name. */
const reference = { $ref: '#/components/schemas/JsonValue' }
export const safeJsonSchema = { propertyNames: { not: { const: '__proto__' } }, additionalProperties: reference }
export const jsonValueSchema = { ...safeJsonSchema, items: reference }
/** For OpenAPI 3.1, since ogen refuses a schema with both `additionalProperties` and `items`. */
export const openApiJsonValueSchema = { ...safeJsonSchema, unevaluatedItems: reference }

/**
 * Finds valid JSON that Herald cannot store: a key `__proto__` (silently dropped by zod and others), a lone surrogate (not
 * valid in UTF-8), a number out of range (would be returned as `null`), and nesting deeper than `maxLevels`.
 *
 * @param value as `JSON.parse` returned it; a scalar has no level, `{}` has one
 * @param text the text that was parsed, if available: lone surrogates are only searched if it contains an escape
 * @returns the issues, bounded as an {@link IssueList}, each with its place; empty when the value is safe
 */
export function findUnsafeJson(value: unknown, maxLevels: number, text = '\\u'): ValidationIssue[] {
  // Nearly every value is safe, and pointers are expensive to build.
  if (isSafe(value, maxLevels, text.includes('\\u'))) return []
  const issues = createIssueList()
  collect(value, '', maxLevels, issues)
  return issues.toArray()
}

/** Whether {@link findUnsafeJson} finds nothing. Loops: for every record and body, `every` takes twice as long. */
export function isSafe(node: unknown, levels: number, hasEscapes: boolean): boolean {
  if (typeof node === 'string') return !hasEscapes || node.isWellFormed()
  if (typeof node === 'number') return Number.isFinite(node)
  if (typeof node !== 'object' || node === null) return true
  if (levels === 0) return false
  if (Array.isArray(node)) {
    for (const item of node) if (!isSafe(item, levels - 1, hasEscapes)) return false
    return true
  }
  const members = node as Record<string, unknown>
  for (const key in members) {
    if (key === '__proto__' || (hasEscapes && !key.isWellFormed())) return false
    if (!isSafe(members[key], levels - 1, hasEscapes)) return false
  }
  return true
}

function collect(node: unknown, pointer: string, levels: number, issues: IssueList): void {
  if (typeof node === 'string' && !node.isWellFormed()) {
    issues.add(pointer, 'Contains a lone surrogate')
  } else if (typeof node === 'number' && !Number.isFinite(node)) {
    issues.add(pointer, 'Number out of range for a double')
  } else if (typeof node === 'object' && node !== null) {
    if (levels === 0) issues.add(pointer, 'Nested too deeply')
    else for (const [key, item] of Object.entries(node)) collectMember(key, item, pointer, levels, issues)
  }
}

function collectMember(key: string, item: unknown, parent: string, levels: number, issues: IssueList): void {
  const pointer = pointerTo(parent, key)
  if (key === '__proto__') issues.add(pointer, 'The key __proto__ is not allowed')
  else if (!key.isWellFormed()) issues.add(parent, 'Contains a key with a lone surrogate')
  else collect(item, pointer, levels - 1, issues)
}
