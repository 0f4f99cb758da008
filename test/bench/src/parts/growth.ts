import { createStore } from '@herald/store'
import { median } from '../figure.ts'
import { alternate, type BenchContext, type Part } from '../part.ts'
import { type QueryBench, withQuery } from '../query/bench-query.ts'
import { notificationFor, type User } from '../query/population.ts'

const perRound = 400

/** How the cost of a request grows with the amount of data and of recipients. */
export const growth: Part = {
  name: 'growth',
  about: 'a page among 5,000,000 notifications, and a mark of a notification with 10,000 recipients',
  async run(context) {
    const many = context.smoke
      ? { users: 100, notificationsEach: 20, usersPerSubscriber: 100 }
      : { users: 10_000, notificationsEach: 500, usersPerSubscriber: 10_000 }
    const few = { users: 100, notificationsEach: context.smoke ? 10 : 100 }
    return withQuery(context, few, (small) =>
      withQuery(context, many, async (large) => {
        // Excludes the verification of each user's token at the first request.
        for (const bench of [large, small]) await medianOf(bench, page(bench))
        const pages = await alternate(
          context,
          { large: () => medianOf(large, page(large)), small: () => medianOf(small, page(small)) },
          show,
        )
        const recipients = context.smoke ? 100 : 10_000
        const users = large.users.slice(0, recipients)
        const { wide, narrow } = await storeMarked(context, large, users)
        const marks = await alternate(
          context,
          {
            wide: () =>
              medianOf(
                large,
                mark(large, () => wide),
              ),
            narrow: () =>
              medianOf(
                large,
                mark(large, (index) => narrow[index] as string),
              ),
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

type SendRequest = (index: number) => Promise<Response>

/** Median latency in milliseconds of sequential requests. */
async function medianOf({ users }: QueryBench, send: SendRequest): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < perRound; i++) {
    const begun = performance.now()
    const response = await send((i * 7_919) % users.length)
    await response.text()
    if (!response.ok) throw new Error(`A request returned ${response.status}`)
    times.push(performance.now() - begun)
  }
  return median(times)
}

const bearer = (user: User | undefined) => ({ authorization: `Bearer ${user?.token}` })

const page =
  ({ query, users }: QueryBench): SendRequest =>
  (index) =>
    fetch(query.url, { headers: bearer(users[index]) })

/** Marks as read and unread in turn, so that each mark changes the notification. */
function mark({ query, users }: QueryBench, idFor: (index: number) => string): SendRequest {
  const isRead = new Set<number>()
  return (index) => {
    const state = isRead.delete(index) ? 'unread' : 'read'
    if (state === 'read') isRead.add(index)
    return fetch(`${query.url}/notifications/${idFor(index)}/${state}`, {
      method: 'PATCH',
      headers: bearer(users[index]),
    })
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
