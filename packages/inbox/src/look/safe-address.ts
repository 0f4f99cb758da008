/**
 * Returns an address that may become a link or a picture: one of http or https, or one relative to the page. Anything
 * else, such as `javascript:` or `data:`, gives undefined.
 */
export function safeAddress(address: string | undefined): string | undefined {
  if (address === undefined || address === '') return undefined
  // Without a base only an address with a scheme can be parsed, as a browser would parse it.
  if (!URL.canParse(address)) return address
  const { protocol } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? address : undefined
}
