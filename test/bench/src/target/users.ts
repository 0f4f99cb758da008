import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { importPKCS8, SignJWT } from 'jose'
import type { User } from '../query/population.ts'
import type { Target } from './settings.ts'

/** The tokens are valid until the run is over, with a reserve. */
const validFor = '30 minutes'

/** Creates users of a new subscriber. */
export async function createUsers({ tokens, load }: Target): Promise<User[]> {
  const key = await importPKCS8(await readFile(tokens.privateKeyFile, 'utf8'), tokens.algorithm)
  const subscriberId = randomUUID()
  const create = async (): Promise<User> => {
    const userId = randomUUID()
    const token = await new SignJWT({ sub: userId, [tokens.subscriberClaim]: subscriberId })
      .setProtectedHeader({ alg: tokens.algorithm, typ: 'JWT', ...(tokens.keyId && { kid: tokens.keyId }) })
      .setIssuer(tokens.issuer)
      .setAudience(tokens.audience)
      .setIssuedAt()
      .setExpirationTime(validFor)
      .sign(key)
    return { subscriberId, userId, token }
  }
  return Promise.all(Array.from({ length: load.users }, create))
}
