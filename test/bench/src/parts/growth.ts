import { createStore } from '@herald/store'
import { Binary } from 'mongodb'
import { median } from '../figure.ts'
import { randomIntegers } from '../measure.ts'
import { alternate, type BenchContext, type Part } from '../part.ts'
import { type QueryBench, withQuery } from '../query/bench-query.ts'
import { load } from '../query/http-load.ts'
import { notificationFor, type User } from '../query/population.ts'

const perRound = 400

/** How the cost of a request grows with the amount of data and of recipients. */
export const growth: Part = {
  name: 'growth',
  about: 'a page among 5,000,000 notifications, and a mark of a notification with 10,000 recipients',
  rounds: 5,
  async run(context) {
    const many = context.smoke
      ? { users: 100, notificationsEach: 20, usersPerSubscriber: 100, recipients: 100 }
      : { users: 10_000, notificationsEach: 500, usersPerSubscriber: 10_000, recipients: 100 }
    const few = { users: 100, notificationsEach: context.smoke ? 10 : 100 }
    return withQuery(context, few, (small) =>
      withQuery(context, many, async (large) => {
        for (const bench of [large, small]) await verifyTokens(bench)
        const draw = { large: drawUsers(large.users), small: drawUsers(small.users) }
        const pages = await alternate(
          context,
          {
            large: () => medianOf(draw.large(), page(large)),
            small: () => medianOf(draw.small(), page(small)),
          },
          show,
        )
        const recipients = context.smoke ? 100 : 10_000
        const users = large.users.slice(0, recipients)
        const { wide, narrow } = await storeMarked(context, large, users)
        const drawMarked = drawUsers(users)
        const marks = await alternate(
          context,
          {
            wide: marksOf(large, drawMarked, () => wide),
            narrow: marksOf(large, drawMarked, (index) => narrow[index] as string),
          },
          show,
        )
        return [
          {
            what: `p50 of a page among ${many.users * many.notificationsEach} notifications`,
            unit: 'ms',
            measured: pages.large,
            beside: { name: `among ${few.users * few.notificationsEach}`, measured: pages.small },
            goal: { atMost: 1.2 },
          },
          {
            what: `p50 of a mark of a notification with ${recipients} recipients`,
            unit: 'ms',
            measured: marks.wide,
            beside: { name: 'with one', measured: marks.narrow },
            goal: { atMost: 1.1 },
          },
        ]
      }),
    )
  },
}

const show = (milliseconds: number) => `${milliseconds.toFixed(2)} ms`

/** Returns a function that draws the users of a round, by their indexes: other ones each time. */
function drawUsers(users: readonly User[]): () => number[] {
  const below = randomIntegers(1)
  return () => Array.from({ length: perRound }, () => below(users.length))
}

type SendRequest = (index: number) => Promise<Response>

/** Median latency in milliseconds of sequential requests. */
async function medianOf(indexes: readonly number[], send: SendRequest): Promise<number> {
  const times: number[] = []
  for (const index of indexes) {
    const begun = performance.now()
    const response = await send(index)
    await response.text()
    if (!response.ok) throw new Error(`A request returned ${response.status}`)
    times.push(performance.now() - begun)
  }
  return median(times)
}

/** Verifies each user's token, which happens at its first request, without reading the user's feed. */
async function verifyTokens({ query, users }: QueryBench): Promise<void> {
  const requests = users.map(({ token }) => ({ path: '/notifications/unread-count', token }))
  await load({ baseUrl: query.url, requests, once: true, seconds: 0 })
}

const bearer = (user: User | undefined) => ({ authorization: `Bearer ${user?.token}` })

const page =
  ({ query, users }: QueryBench): SendRequest =>
  (index) =>
    fetch(query.url, { headers: bearer(users[index]) })

/**
 * Returns a function that marks as read and unread in turn, over all rounds, so that each mark changes the notification; it
 * throws when one did not.
 */
function marksOf({ query, users, database }: QueryBench, draw: () => number[], idFor: (index: number) => string) {
  const isRead = new Set<number>()
  const send: SendRequest = (index) => {
    const state = isRead.delete(index) ? 'unread' : 'read'
    if (state === 'read') isRead.add(index)
    return fetch(`${query.url}/notifications/${idFor(index)}/${state}`, {
      method: 'PATCH',
      headers: bearer(users[index]),
    })
  }
  const notifications = database.collection<{ _id: Binary; box: number }>('notifications')
  const differing = async (indexes: Iterable<number>) => {
    let sum = 0
    for (const index of indexes) {
      const { subscriberId = '', userId = '' } = users[index] ?? {}
      const key = Buffer.from([subscriberId, userId, idFor(index)].join('').replaceAll('-', ''), 'hex')
      const box = isRead.has(index) ? 1 : 0
      if ((await notifications.findOne({ _id: new Binary(key) }))?.box !== box) sum++
    }
    return sum
  }
  return async () => {
    const indexes = draw()
    const result = await medianOf(indexes, send)
    const count = await differing(new Set(indexes))
    if (count > 0) throw new Error(`${count} notifications are not as they were marked last`)
    return result
  }
}

/** Stores one notification for all users, and one for each user. */
async function storeMarked({ servers }: BenchContext, { database }: QueryBench, users: readonly User[]) {
  const uri = servers.mongodbUri
  const store = createStore({ uri, database: database.databaseName, applicationName: 'herald-bench' })
  try {
    const wide = notificationFor(users, -1)
    const narrow = users.map((user, index) => notificationFor([user], -2 - index))
    await store.notifications.insertNew([wide, ...narrow])
    return { wide: wide.id, narrow: narrow.map(({ id }) => id) }
  } finally {
    await store.close()
  }
}
