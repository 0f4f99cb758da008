/** Value of a query parameter; times may be `Date`. */
export type QueryValue = string | number | Date | undefined

/** Returns `?a=1&b=2` without undefined values, or an empty string if there are no others. */
export function queryString(query: Readonly<Record<string, QueryValue>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, value instanceof Date ? value.toISOString() : String(value))
  }
  const text = parameters.toString()
  return text && `?${text}`
}
