import { Binary, type Db } from 'mongodb'
import { batchesOf } from '../measure.ts'
import { recipientNames, subscriberNames, uuidOf } from './events.ts'

const mutesEach = 3
const oneIn = 100
const actors = 499

const bytes = (name: string) => Buffer.from(uuidOf(name).replaceAll('-', ''), 'hex')

/** Lets 1 user in 100 of each subscriber mute some of the actors of {@link mentionEvent}. @returns the number of mutes */
export async function muteSome(database: Db): Promise<number> {
  const users = recipientNames.filter((_, index) => index % oneIn === 0).map(bytes)
  const mutes = subscriberNames.map(bytes).flatMap((subscriber, n) =>
    users.flatMap((user, m) =>
      Array.from({ length: mutesEach }, (_, i) => {
        const actor = bytes(`user ${(n + m * mutesEach + i) % actors}`)
        return {
          _id: new Binary(Buffer.concat([subscriber, Buffer.from([2]), actor, user])),
          v: 1,
          user: new Binary(Buffer.concat([subscriber, user])),
          setAt: new Date(),
        }
      }),
    ),
  )
  for (const batch of batchesOf(mutes, 5_000)) await database.collection<{ _id: Binary }>('mutes').insertMany(batch)
  return mutes.length
}
