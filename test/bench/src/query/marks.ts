import type { Binary } from 'mongodb'
import { randomIntegers } from '../measure.ts'
import type { QueryBench } from './bench-query.ts'
import type { LoadRequest } from './http-load.ts'

const notificationsOf = ({ database }: QueryBench) => database.collection<{ _id: Binary }>('notifications')

/** The number of unread notifications of all users. */
export function unreadNotifications(bench: QueryBench): Promise<number> {
  return notificationsOf(bench).countDocuments({ unread: true }, { hint: 'unread' })
}

/** Marks every notification as read, and returns requests to mark each as unread, in random order. */
export async function shuffledMarks(bench: QueryBench): Promise<{ own: LoadRequest; plain: LoadRequest }[]> {
  const notifications = notificationsOf(bench)
  const at = new Date()
  await notifications.updateMany({}, { $set: { readAt: at, readStateAt: at }, $unset: { unread: true } })
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
