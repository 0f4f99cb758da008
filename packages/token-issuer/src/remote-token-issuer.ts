import type { TokenClaims, TokenIssuer, TokenOverrides } from './token-issuer.ts'

/** Connects to an issuer that {@link startIssuerServer} serves at `url`. */
export async function connectTokenIssuer(url: string): Promise<TokenIssuer> {
  const get = async (path: string) => JSON.parse(await fetchText(`${url}${path}`))
  const [about, jwks] = await Promise.all([get('/issuer'), get('/jwks.json')])
  return {
    ...about,
    jwks,
    async sign(claims: TokenClaims = {}, overrides: TokenOverrides = {}) {
      // JSON has no `undefined`: claims to leave out are sent as `null`.
      const named = Object.entries(claims).map(([name, value]) => [name, value === undefined ? null : value])
      const body = JSON.stringify({ claims: Object.fromEntries(named), overrides })
      return fetchText(`${url}/token`, { method: 'POST', body })
    },
  }
}

async function fetchText(url: string, request?: RequestInit): Promise<string> {
  const response = await fetch(url, request)
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${text}`)
  return text
}
