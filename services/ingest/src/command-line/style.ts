import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Formats text for a terminal; returns it unchanged for a pipe. */
export type Style = (format: Format, text: string) => string

/** Colours if the stream is a terminal that has them and `NO_COLOR` is not set. */
export function createStyle(stream: NodeJS.WriteStream): Style {
  return (format, text) => styleText(format, text, { stream })
}

export const plain: Style = (_, text) => text

/** Lines of two columns. */
export function toColumns(rows: readonly (readonly [string, string])[], indent = '  '): string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `${indent}${name.padEnd(width)}  ${text}`.trimEnd())
}
