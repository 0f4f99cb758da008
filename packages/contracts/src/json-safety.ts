import type { ValidationIssue } from './error-codes.ts'
import { createIssueList, type IssueList, pointerTo } from './issue-list.ts'

/** A value as returned by `JSON.parse`. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

/**
 * Finds valid JSON that Herald cannot store: a key `__proto__` (silently dropped by zod and others), a lone surrogate (not
 * valid in UTF-8), a number out of range (would be returned as `null`), and nesting deeper than `maxLevels`.
 *
 * @param value as `JSON.parse` returned it; a scalar has no level, `{}` has one
 * @param text what it was parsed from, where it is at hand: without an escape in it no surrogate can stand alone
 * @returns the issues, bounded as an {@link IssueList}, each with its place; empty when the value is safe
 */
export function findUnsafeJson(value: unknown, maxLevels: number, text = '\\u'): ValidationIssue[] {
  // Nearly every value is safe, and pointers are expensive to build.
  if (isSafe(value, maxLevels, text.includes('\\u'))) return []
  const issues = createIssueList()
  collect(value, '', maxLevels, issues)
  return issues.toArray()
}

// Loops, because this runs for every record and body, and `every` with closures takes twice as long.
function isSafe(node: unknown, levels: number, hasEscapes: boolean): boolean {
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

/** Whether `value` has more than `levels` objects and arrays within each other. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isNestedDeeper(item, levels - 1))
}
