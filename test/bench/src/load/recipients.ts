import { randomUUID } from 'node:crypto'
import type { TokenIssuer } from '@herald/token-issuer'
import type { User } from '../query/population.ts'

/** Users in groups of `recipients`, each of one subscriber; a mention is for one group, and all groups take turns. */
export async function createUsers(
  tokens: TokenIssuer,
  { groups, recipients, subscribers }: { groups: number; recipients: number; subscribers: number },
): Promise<User[]> {
  const subscriberIds = Array.from({ length: subscribers }, () => randomUUID())
  return Promise.all(
    Array.from({ length: groups * recipients }, async (_, index) => {
      const subscriberId = subscriberIds[Math.floor(index / recipients) % subscribers] as string
      const userId = randomUUID()
      return { subscriberId, userId, token: await tokens.sign({ sub: userId, subscriber_id: subscriberId }) }
    }),
  )
}

export function recipientsOf<T>(users: readonly T[], recipients: number, sequence: number): readonly T[] {
  const group = sequence % (users.length / recipients)
  return users.slice(group * recipients, (group + 1) * recipients)
}
