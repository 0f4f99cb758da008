/** What a filter may be: times also as `Date`. */
export type QueryValue = string | number | Date | undefined

/** `?a=1&b=2`, without what is undefined; empty when nothing is left. */
export function queryString(query: Readonly<Record<string, QueryValue>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, value instanceof Date ? value.toISOString() : String(value))
  }
  const text = parameters.toString()
  return text && `?${text}`
}
