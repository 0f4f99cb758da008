import { now } from '../clock.ts'
import type { User } from '../query/population.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'
import type { Role } from './role.ts'
import { onSchedule } from './schedule.ts'

export type RequestSetup = {
  readonly url: string
  readonly users: readonly User[]
  readonly kind: 'page' | 'count' | 'mark'
}

type Send = (user: User, index: number) => Promise<unknown>

/** Sends requests of users in an order that visits all of them. */
export async function createRequester({ url, users, kind }: RequestSetup): Promise<Role> {
  const client = createHttpClient(url)
  const kinds: Record<RequestSetup['kind'], () => Promise<Send>> = {
    page: async () => (user) => client.send('GET', '/', user.token),
    count: async () => (user) => client.send('GET', '/notifications/unread-count', user.token),
    mark: () => createMarks(client, users),
  }
  const send = await kinds[kind]()
  return async (schedule) => {
    const latencies = new Float64Array(schedule.count)
    const pending: Promise<void>[] = []
    await onSchedule(schedule, (operations) => {
      for (const { sequence, intendedAt } of operations) {
        const index = (sequence * 7_919) % users.length
        const answered = send(users[index] as User, index).then(() => {
          latencies[sequence - schedule.first] = now() - intendedAt
        })
        pending.push(answered)
      }
    })
    await Promise.all(pending)
    return latencies
  }
}

type Page = { readonly data: { readonly notifications: readonly { readonly id: string }[] } }

/** Marks the newest notification of a user as read and as unread in turn, so that each mark changes it. */
async function createMarks(client: HttpClient, users: readonly User[]): Promise<Send> {
  const ids: string[] = []
  for (const { token } of users) {
    const { data } = JSON.parse(await client.send('GET', '/?limit=1', token)) as Page
    if (data.notifications[0] === undefined) throw new Error('A user has no notification to mark')
    ids.push(data.notifications[0].id)
  }
  const isRead = new Set<number>()
  return (user, index) => {
    const state = isRead.delete(index) ? 'unread' : 'read'
    if (state === 'read') isRead.add(index)
    return client.send('PATCH', `/notifications/${ids[index]}/${state}`, user.token)
  }
}
