import { deadLetterReasons } from './base/dead-letter-reasons.ts'
import { type ErrorEntry, errorCodes } from './base/error-codes.ts'

const isRetryable = (code: string, { status }: ErrorEntry) =>
  status === 408 || status === 429 || status >= 500 || code === 'request_in_progress'

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

const errorTable = table(
  ['code', 'status', 'meaning', 'retry'],
  Object.entries(errorCodes).map(([code, entry]) => [
    `\`${code}\``,
    String(entry.status),
    entry.title,
    isRetryable(code, entry) ? 'yes' : '',
  ]),
)
const reasonTable = table(
  ['code', 'meaning'],
  Object.entries(deadLetterReasons).map(([code, meaning]) => [`\`${code}\``, meaning]),
)

/** The page of all codes, generated from the tables that the services use. */
export const codesPage = `# Codes

Generated from \`src/base/error-codes.ts\` and \`src/base/dead-letter-reasons.ts\` by \`npm run generate -w packages/contracts\`. Within a major version
codes are only added.

## HTTP errors

Error responses are problem documents (RFC 9457) with one of these values in \`code\`. Retry if the last column contains \`yes\`,
after \`Retry-After\` if present; \`POST /\` only with an \`Idempotency-Key\`.

${errorTable}

## Dead letters

A record that can never be stored is sent to the dead-letter topic with one of these values in the header \`herald-error-code\`,
and with pointers and rules in \`herald-error-detail\`. Replay it if the cause was in Herald or no longer exists: see
[Heal dead letters](../../services/ingest/guides/heal-dead-letters.md).

${reasonTable}
`
