import { toColumns } from '../command-line/terminal.ts'

export const answers = {
  stored: { exitCode: 0, meaning: 'it can be read over HTTP' },
  waiting: { exitCode: 3, meaning: 'Herald has it and waits for something' },
  dead: { exitCode: 4, meaning: 'it is in the dead-letter topic' },
  retracted: { exitCode: 5, meaning: 'it was retracted' },
  erased: { exitCode: 6, meaning: 'the recipient was erased' },
  expired: { exitCode: 7, meaning: 'it is older than RETENTION_DAYS' },
  'not consumed yet': { exitCode: 8, meaning: 'it is, or may be, among the records that ingest has not read' },
  'not stored': { exitCode: 10, meaning: 'ingest has, or may have, read its record, and MongoDB has no trace of it' },
  'never seen': { exitCode: 9, meaning: 'there is no trace of it' },
} as const satisfies Record<string, { readonly exitCode: number; readonly meaning: string }>

/** An answer for people and programs. It contains no names, texts, e-mail addresses or states. */
export type Answer = {
  readonly answer: keyof typeof answers
  readonly summary: string
  readonly details?: Readonly<Record<string, string | number | Date | undefined>> | undefined
  readonly hint?: string
}

export function showAnswer(id: string, { answer, summary, details, hint }: Answer): string[] {
  const rows = Object.entries({ id, ...details }).filter(([, value]) => value !== undefined)
  const textOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value))
  return [
    `${answer}: ${summary}`,
    ...toColumns(rows.map(([name, value]) => [name, textOf(value)])),
    ...(hint === undefined ? [] : [`  → ${hint}`]),
  ]
}

export function toJson(id: string, { answer, summary, details, hint }: Answer): string {
  return JSON.stringify({ answer, id, summary, ...details, hint })
}
