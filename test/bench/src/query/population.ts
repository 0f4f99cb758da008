import type { NewNotification } from '@herald/feed'
import { createStore } from '@herald/store'
import type { TokenIssuer } from '@herald/token-issuer'
import { uuidOf } from '../ingest/events.ts'
import { timeEach } from '../measure.ts'
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
  /** 10 by default; a divisor of the users per subscriber, unless there are fewer users. */
  readonly recipients?: number | undefined
}

const documentsPerInsert = 2_000
const insertsAtOnce = 3
const firstMillisecond = Date.UTC(2026, 0, 1)

/** Stores feeds of equal length through Herald's store, each notification for several users. */
export async function populate(options: PopulationOptions): Promise<User[]> {
  const { mongodbUri, database, tokens, users, notificationsEach, usersPerSubscriber = 100, recipients = 10 } = options
  const store = createStore({ uri: mongodbUri, database, applicationName: 'herald-bench' })
  try {
    await store.migrate()
    const allUsers = await Promise.all(
      Array.from({ length: users }, (_, i) => makeUser(tokens, i, Math.floor(i / usersPerSubscriber))),
    )
    const groups = Math.ceil(users / recipients)
    const perInsert = documentsPerInsert / recipients
    await timeEach(Math.ceil((notificationsEach * groups) / perInsert), insertsAtOnce, (insert) => {
      const start = insert * perInsert
      const size = Math.min(perInsert, notificationsEach * groups - start)
      const batch = Array.from({ length: size }, (_, i) => {
        const first = ((start + i) % groups) * recipients
        return notificationFor(allUsers.slice(first, first + recipients), start + i)
      })
      return store.notifications.insertNew(batch)
    })
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
