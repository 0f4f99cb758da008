import { createStore, type NewNotification } from '@herald/store'
import type { TokenIssuer } from '@herald/token-issuer'
import { uuidOf } from '../ingest/events.ts'
import { uuidV7Of } from './change-entries.ts'

export type User = { readonly subscriberId: string; readonly userId: string; readonly token: string }

export type PopulationOptions = {
  readonly mongodbUri: string
  readonly database: string
  readonly tokens: TokenIssuer
  readonly users: number
  readonly notificationsEach: number
  /** 100 by default. */
  readonly usersPerSubscriber?: number | undefined
}

const notificationsPerInsert = 200
const firstMillisecond = Date.UTC(2026, 0, 1)

/** Stores feeds of equal length through Herald's store, each notification for ten users. */
export async function populate(options: PopulationOptions): Promise<User[]> {
  const { mongodbUri, database, tokens, users, notificationsEach, usersPerSubscriber = 100 } = options
  const store = createStore({ uri: mongodbUri, database, applicationName: 'herald-bench' })
  try {
    await store.migrate()
    const allUsers = await Promise.all(
      Array.from({ length: users }, (_, i) => makeUser(tokens, i, Math.floor(i / usersPerSubscriber))),
    )
    const groups = Math.ceil(users / 10)
    let batch: NewNotification[] = []
    const flush = async () => {
      await store.notifications.insertNew(batch)
      batch = []
    }
    for (let round = 0; round < notificationsEach; round++) {
      for (let group = 0; group < groups; group++) {
        batch.push(notificationFor(allUsers.slice(group * 10, group * 10 + 10), round * groups + group))
        if (batch.length === notificationsPerInsert) await flush()
      }
    }
    await flush()
    return allUsers
  } finally {
    await store.close()
  }
}

async function makeUser(tokens: TokenIssuer, index: number, subscriber: number): Promise<User> {
  const subscriberId = uuidOf(`subscriber ${subscriber}`)
  const userId = uuidOf(`reader ${index}`)
  return { subscriberId, userId, token: await tokens.sign({ sub: userId, subscriber_id: subscriberId }) }
}

/** A notification for users of one subscriber. */
export function notificationFor(recipients: readonly User[], sequence: number): NewNotification {
  const createdAt = new Date(firstMillisecond + sequence)
  const mention = {
    mentionerName: `User Number ${sequence % 499}`,
    snippet: 'please could you check the revised figure in this section before we send it to the auditors',
    entityType: 'data point',
    anchorId: `anchor-${sequence}`,
  }
  return {
    id: uuidV7Of(createdAt, `notification ${sequence}`),
    subscriberId: recipients[0]?.subscriberId ?? '',
    type: 'mention',
    actor: {
      id: uuidOf(`user ${sequence % 499}`),
      name: `User Number ${sequence % 499}`,
      image: `https://images.example.com/${sequence % 499}.png`,
    },
    actorType: 'user',
    subjectId: uuidOf(`subject ${sequence % 2_003}`),
    subjectType: 'user',
    locationId: uuidOf(`location ${sequence % 4_001}`),
    locationType: 'comment',
    metadata: JSON.stringify({ mention, add: {}, edit: {} }),
    createdAt,
    recipientIds: recipients.map(({ userId }) => userId),
  }
}
