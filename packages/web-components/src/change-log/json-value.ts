import type { JsonValue } from '@herald/client'
import { html, type TemplateResult } from 'lit'

/** Rows that may still be shown; shared by all parts of one entry. */
export type RowBudget = { rows: number; isExceeded: boolean }

const INLINE_CHARACTERS = 72
const BLOCK_CHARACTERS = 1_200

/** Takes a row from the budget; returns whether it fits. */
export function takeRow(budget: RowBudget): boolean {
  if (budget.rows > 0) budget.rows -= 1
  else budget.isExceeded = true
  return !budget.isExceeded
}

/** A JSON value other than `null`: short ones on one line, large objects and arrays as a block. */
export function jsonValueView(value: JsonValue, budget: RowBudget): TemplateResult | string {
  if (typeof value === 'string') return fitted(isPlain(value) ? value : JSON.stringify(value), budget)
  if (typeof value !== 'object') return JSON.stringify(value)
  const inline = JSON.stringify(value)
  if (inline.length <= INLINE_CHARACTERS) return html`<code>${inline}</code>`
  return html`<pre>${fitted(JSON.stringify(value, null, 2), budget)}</pre>`
}

/** Whether a text can be shown without quotes: not empty and not mistakable for another JSON value. */
function isPlain(text: string): boolean {
  return text.trim() === text && text !== '' && !/^(true|false|null|["[{].*|-?\d+(\.\d+)?([eE][+-]?\d+)?)$/s.test(text)
}

function fitted(text: string, budget: RowBudget): string {
  const characters = budget.rows === Number.POSITIVE_INFINITY ? text.length : BLOCK_CHARACTERS
  if (text.length <= characters) return text
  budget.isExceeded = true
  return `${text.slice(0, characters)}…`
}
