/**
 * Returns an address that is safe for a link or a picture: http, https, or relative to the page. Returns undefined for anything
 * else, such as `javascript:` or `data:`.
 */
export function safeAddress(address: string | undefined): string | undefined {
  if (address === undefined || address === '') return undefined
  // Without a base URL, only an address with a scheme can be parsed.
  if (!URL.canParse(address)) return address
  const { protocol } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? address : undefined
}
