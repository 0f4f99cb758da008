import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { importPKCS8, SignJWT } from 'jose'
import type { User } from '../query/population.ts'
import type { Target } from './settings.ts'

/** The tokens are valid until the run is over, with a reserve. */
const validFor = '30 minutes'
const signedAtOnce = 100

type Sign = (userId: string, subscriberId: string) => Promise<string>

/** Creates users of a new subscriber. */
export async function createUsers({ tokens, tokenIssuerUrl, load }: Target): Promise<User[]> {
  const sign = tokens ? await signWithKey(tokens) : signAtIssuer(String(tokenIssuerUrl))
  const subscriberId = randomUUID()
  const users: User[] = []
  for (let left = load.users; left > 0; left -= signedAtOnce) {
    const some = Array.from({ length: Math.min(left, signedAtOnce) }, async () => {
      const userId = randomUUID()
      return { subscriberId, userId, token: await sign(userId, subscriberId) }
    })
    users.push(...(await Promise.all(some)))
  }
  return users
}

async function signWithKey(tokens: NonNullable<Target['tokens']>): Promise<Sign> {
  const key = await importPKCS8(await readFile(tokens.privateKeyFile, 'utf8'), tokens.algorithm)
  return (userId, subscriberId) =>
    new SignJWT({ sub: userId, [tokens.subscriberClaim]: subscriberId })
      .setProtectedHeader({ alg: tokens.algorithm, typ: 'JWT', ...(tokens.keyId && { kid: tokens.keyId }) })
      .setIssuer(tokens.issuer)
      .setAudience(tokens.audience)
      .setIssuedAt()
      .setExpirationTime(validFor)
      .sign(key)
}

const signAtIssuer =
  (url: string): Sign =>
  async (userId, subscriberId) => {
    const body = JSON.stringify({ claims: { sub: userId, subscriber_id: subscriberId } })
    const response = await fetch(new URL('/token', url), { method: 'POST', body })
    const text = await response.text()
    if (!response.ok) throw new Error(`The token issuer responded with ${response.status}: ${text}`)
    return text.trim()
  }
