import { expect } from '@jest/globals'
import type { ListedEntry } from './change-log-model.ts'
import type { ListedNotification } from './feed-model.ts'
import { expectEqual, type World } from './operations.ts'

/** Compares the feed and the counts of every client with the model. */
export async function expectFeedsEqual({ clients, model }: World): Promise<void> {
  await Promise.all(
    clients.map(async (client) => {
      const [list, count] = await Promise.all([
        client.send('GET', '/?limit=100'),
        client.send('GET', '/notifications/unread-count'),
      ])
      const seen = (list.body.data as { notifications: ListedNotification[] }).notifications
      expectEqual(model, client, model.list(client).slice(0, 100), seen)
      expect(count.body.data).toEqual(model.counts(client))
    }),
  )
}

/** Compares the change log that every client sees with the model. */
export async function expectLogsEqual({ clients, log }: World): Promise<void> {
  await Promise.all(
    clients.map(async (client) => {
      const entries = (await client.send('GET', '/change-entries/all')).body.data as ListedEntry[]
      if (!log.isEqual(client.subscriberId, entries)) expect(entries).toEqual(log.list(client.subscriberId))
    }),
  )
}
