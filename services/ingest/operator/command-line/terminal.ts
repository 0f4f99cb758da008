import { styleText } from 'node:util'

export type Line = string | { readonly format: Parameters<typeof styleText>[0]; readonly text: string }

/** The only way to a terminal: what a line contains cannot change what other lines show. Has colours if the stream has. */
export function createPrinter(stream: NodeJS.WriteStream): (line: Line) => void {
  return (line) => {
    const shown =
      typeof line === 'string' ? escapeInvisible(line) : styleText(line.format, escapeInvisible(line.text), { stream })
    stream.write(`${shown}\n`)
  }
}

/** Escapes controls, line breaks and invisible characters, as JSON does: a line of JSON keeps its value. */
function escapeInvisible(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  )
}

export function toColumns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd())
}

/** Rows in columns as wide as their longest cell: the first one on the left, numbers on the right. */
export function toTable(rows: readonly (readonly [string, ...string[]])[]): string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  return rows.map(([first, ...others]) => {
    const cells = others.map((cell, at) => cell.padStart(widthOf(at + 1)))
    return `  ${[first.padEnd(widthOf(0)), ...cells].join('  ')}`
  })
}
