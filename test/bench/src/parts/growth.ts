import { createStore } from '@herald/store'
import { Binary } from 'mongodb'
import { alternate } from '../alternate.ts'
import { randomIntegers } from '../measure.ts'
import type { BenchContext, Part } from '../part.ts'
import { type QueryBench, withQuery } from '../query/bench-query.ts'
import { load } from '../query/http-load.ts'
import { medianOf, type SendRequest, showMilliseconds as show } from '../query/median-latency.ts'
import { notificationFor, type User } from '../query/population.ts'

const perRound = 400

/** How the cost of a request grows with the amount of data and of recipients. */
export const growth: Part = {
  name: 'growth',
  about: 'a page and groups among 5,000,000 notifications, and marks of one with 10,000 recipients',
  rounds: 5,
  async run(context) {
    const many = context.smoke
      ? { users: 100, notificationsEach: 20, usersPerSubscriber: 100, recipients: 100 }
      : { users: 10_000, notificationsEach: 500, usersPerSubscriber: 10_000, recipients: 100 }
    // As many for each user: groups are made of all of them.
    const few = { users: 100, notificationsEach: many.notificationsEach }
    return withQuery(context, few, (small) =>
      withQuery(context, many, async (large) => {
        for (const bench of [large, small]) await verifyTokens(bench)
        const draw = { large: drawUsers(large.users), small: drawUsers(small.users) }
        const pages = await alternate(
          context,
          {
            large: () => medianOf(draw.large(), page(large)),
            small: () => medianOf(draw.small(), page(small)),
            largeGroups: () => medianOf(draw.large(), page(large, '/notifications/groups')),
            smallGroups: () => medianOf(draw.small(), page(small, '/notifications/groups')),
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
            wide: marksOf(large, drawMarked, () => wide, readAndUnread),
            narrow: marksOf(large, drawMarked, (index) => narrow[index] as string, readAndUnread),
          },
          show,
        )
        const archives = await alternate(
          context,
          {
            wide: marksOf(large, drawMarked, () => wide, archivedAndUnread),
            narrow: marksOf(large, drawMarked, (index) => narrow[index] as string, archivedAndUnread),
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
            what: `p50 of groups among ${many.users * many.notificationsEach} notifications`,
            unit: 'ms',
            measured: pages.largeGroups,
            beside: { name: `among ${few.users * few.notificationsEach}`, measured: pages.smallGroups },
            goal: { atMost: 1.2 },
          },
          {
            what: `p50 of an archive of a notification with ${recipients} recipients`,
            unit: 'ms',
            measured: archives.wide,
            beside: { name: 'with one', measured: archives.narrow },
            goal: { atMost: 1.1 },
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

/** Returns a function that draws the users of a round, by their indexes: other ones each time. */
function drawUsers(users: readonly User[]): () => number[] {
  const below = randomIntegers(1)
  return () => Array.from({ length: perRound }, () => below(users.length))
}

/** Verifies each user's token, which happens at its first request, without reading the user's feed. */
async function verifyTokens({ query, users }: QueryBench): Promise<void> {
  const requests = users.map(({ token }) => ({ path: '/notifications/unread-count', token }))
  await load({ baseUrl: query.url, requests, once: true, seconds: 0 })
}

const bearer = (user: User | undefined) => ({ authorization: `Bearer ${user?.token}` })

const page =
  ({ query, users }: QueryBench, path = '/'): SendRequest =>
  (index) =>
    fetch(query.url + path, { headers: bearer(users[index]) })

/** Two marks that take each other back, and the box of the first. */
const readAndUnread = ['read', 'unread', 1] as const
const archivedAndUnread = ['archived', 'unread', 2] as const

/**
 * Returns a function that makes two marks in turn, over all rounds, so that each mark changes the notification; it
 * throws when one did not.
 */
function marksOf(
  { query, users, database }: QueryBench,
  draw: () => number[],
  idFor: (index: number) => string,
  [first, second, box]: typeof readAndUnread | typeof archivedAndUnread,
) {
  const isFirst = new Set<number>()
  const send: SendRequest = (index) => {
    const state = isFirst.delete(index) ? second : first
    if (state === first) isFirst.add(index)
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
      const expected = isFirst.has(index) ? box : 0
      if ((await notifications.findOne({ _id: new Binary(key) }))?.box !== expected) sum++
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
