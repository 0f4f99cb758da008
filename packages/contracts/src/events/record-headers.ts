type HeaderValue = Buffer | string | undefined
/** The headers of a record; repeated ones are an array. */
export type RecordHeaders = Readonly<Record<string, HeaderValue | HeaderValue[] | null>>

/** The text of a header, the first if it is repeated; `undefined` if it is absent or has no value. */
export function headerText(headers: RecordHeaders, name: string): string | undefined {
  const header = headers[name]
  const first = Array.isArray(header) ? header[0] : header
  return first === undefined || first === null ? undefined : first.toString()
}
