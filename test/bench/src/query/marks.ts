import { setTimeout as pause } from 'node:timers/promises'
import type { Binary } from 'mongodb'
import { randomIntegers } from '../measure.ts'
import type { QueryBench } from './bench-query.ts'
import type { LoadRequest } from './http-load.ts'

/** Time in which a request that is under way ends. */
const settledMs = 250

const notificationsOf = ({ database }: QueryBench) => database.collection<{ _id: Binary }>('notifications')

function unreadNotifications(bench: QueryBench): Promise<number> {
  return notificationsOf(bench).countDocuments({ box: 0 }, { hint: 'box' })
}

/** The number of unread notifications of all users, once it has stopped changing. */
export async function settledUnread(bench: QueryBench): Promise<number> {
  for (let last = Number.NaN; ; await pause(settledMs)) {
    const count = await unreadNotifications(bench)
    if (count === last) return count
    last = count
  }
}

/** Marks every notification as read, and returns requests to mark each as unread, in random order. */
export async function shuffledMarks(bench: QueryBench): Promise<{ own: LoadRequest; plain: LoadRequest }[]> {
  const notifications = notificationsOf(bench)
  const at = new Date()
  await notifications.updateMany({}, { $set: { box: 1, readAt: at, readStateAt: at } })
  const tokens = new Map(bench.users.map(({ userId, token }) => [userId, token]))
  const marks: { own: LoadRequest; plain: LoadRequest }[] = []
  for await (const { _id } of notifications.find({}, { projection: { _id: 1 } })) {
    const [subscriber, user, id] = uuidsIn(_id)
    const token = tokens.get(user as string) as string
    marks.push({
      own: { method: 'PATCH', path: `/notifications/${id}/unread`, token },
      plain: { method: 'PATCH', path: `/${subscriber}/${user}/${id}` },
    })
  }
  const below = randomIntegers(1)
  for (let i = marks.length - 1; i > 0; i--) {
    const j = below(i + 1)
    const [a, b] = [marks[i], marks[j]]
    if (a && b) [marks[i], marks[j]] = [b, a]
  }
  return marks
}

function uuidsIn(key: Binary): string[] {
  const hex = key.toString('hex')
  return [0, 32, 64].map((at) => {
    const part = hex.slice(at, at + 32)
    return `${part.slice(0, 8)}-${part.slice(8, 12)}-${part.slice(12, 16)}-${part.slice(16, 20)}-${part.slice(20)}`
  })
}
