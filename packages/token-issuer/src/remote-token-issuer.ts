import type { TokenClaims, TokenIssuer, TokenOverrides } from './token-issuer.ts'

/** The issuer that {@link startIssuerServer} serves at `url`, as if it were here. */
export async function connectTokenIssuer(url: string): Promise<TokenIssuer> {
  const get = async (path: string) => JSON.parse(await ask(`${url}${path}`))
  const [about, jwks] = await Promise.all([get('/issuer'), get('/jwks.json')])
  return {
    ...about,
    jwks,
    async sign(claims: TokenClaims = {}, overrides: TokenOverrides = {}) {
      // JSON knows no `undefined`: a claim that is to be left out is `null` there.
      const named = Object.entries(claims).map(([name, value]) => [name, value === undefined ? null : value])
      const body = JSON.stringify({ claims: Object.fromEntries(named), overrides })
      return ask(`${url}/token`, { method: 'POST', body })
    },
  }
}

async function ask(url: string, request?: RequestInit): Promise<string> {
  const answer = await fetch(url, request)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`)
  return text
}
