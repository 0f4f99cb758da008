import { type FoundDeadLetter, originOf } from './found-dead-letter.ts'

/** Formats one line of the list. Values and headers may be private: only {@link showDeadLetter} prints them. */
export function toTableLine(letter: FoundDeadLetter): string {
  return `${letter.time.toISOString()}  ${originOf(letter).padEnd(32)}  ${letter.code.padEnd(18)}  ${oneLine(letter.detail)}`
}

export function toJsonLine(letter: FoundDeadLetter): string {
  const { time, code, detail, topic, partition, offset } = letter
  return JSON.stringify({ time, origin: originOf(letter), topic, partition, offset, code, detail })
}

/** Formats a whole dead letter; bytes that are not UTF-8 are shown as base64. */
export function showDeadLetter(letter: FoundDeadLetter): string {
  const { key, value, headers } = letter.original
  const lines = [
    `origin  ${originOf(letter)}`,
    `time    ${letter.time.toISOString()}`,
    `code    ${letter.code}`,
    `detail  ${letter.detail}`,
    ...letter.omitted.map((part) => `omitted ${part}`),
    `key     ${toText(key)}`,
    ...Object.entries(headers).flatMap(([name, header]) =>
      [header].flat().map((one) => `header  ${name}: ${toText(Buffer.from(one))}`),
    ),
    `value   ${toText(value)}`,
  ]
  return lines.join('\n')
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
const utf8 = new TextDecoder('utf-8', { fatal: true })

function toText(bytes: Buffer | null): string {
  if (bytes === null) return '(none)'
  try {
    return utf8.decode(bytes)
  } catch {
    return `base64:${bytes.toString('base64')}`
  }
}
