import { toChangeEntryDocument } from '@herald/change-log'
import { changeEntry } from '@herald/change-log/testing'
import { toNotificationDocuments } from '@herald/feed'
import { newNotification, pageIn } from '@herald/feed/testing'
import { idAt, subscriberId, uuid } from '@herald/mongo/testing'
import { eventually, startReplicaSet, whyNoMongod } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MongoClient, WriteConcern } from 'mongodb'
import { collectionsOf } from '../collections/collections.ts'
import { createStore } from '../store.ts'

// Skipped only where no mongod can run; one that fails to start fails the test.
const parameters = ['enableTestCommands=1']
const set = whyNoMongod(process.env)
  ? undefined
  : await startReplicaSet({ members: 2, replicaSet: 'user-reads', parameters })

const onTwo = set ? describe : describe.skip
onTwo('on two servers', () => {
  const uri = set?.uri ?? ''
  const store = createStore({ uri, database: 'herald', applicationName: 'test' })
  const client = new MongoClient(uri)
  const { notifications, changeEntries } = collectionsOf(client.db('herald'))
  beforeAll(() => eventually(() => store.migrate().then(() => true)))
  afterAll(async () => {
    await Promise.all([store.close(), client.close()])
    await set?.stop()
  })

  /** Stops and starts the replication of whichever server is the secondary. */
  async function replicate(isOn: boolean): Promise<void> {
    for (const { address } of set?.members ?? []) {
      const member = new MongoClient(`mongodb://${address}/?directConnection=true`)
      const mode = isOn ? 'off' : 'alwaysOn'
      await member.db('admin').command({ configureFailPoint: 'stopReplProducer', mode })
      await member.close()
    }
  }

  test('nothing is shown before a majority has it', async () => {
    const notification = newNotification(idAt(1), { metadata: JSON.stringify({ add: { text: 'x'.repeat(10_000) } }) })
    const entry = changeEntry({ id: idAt(2), beforeState: JSON.stringify('x'.repeat(3_000)) })
    const feed = store.notifications.of({ subscriberId, recipientId: uuid(2) })
    const log = store.changeEntries.of(subscriberId)
    const exported = async (query: object) => {
      let pieces = 0
      for await (const _ of log.export(query, 'ndjson')) pieces++
      return pieces
    }
    const listed = async (query: object) =>
      pageIn(await feed.list({ limit: 20, status: 'all', ...query })).notifications
    const entries = async (query: object) => JSON.parse(String(await log.list(query, 20))).data.changeEntries
    const found = async () => ({
      listed: (await listed({})).length,
      unread: (await listed({ status: 'unread' })).length,
      filtered: (await listed({ type: 'mention' })).length,
      one: (await feed.get(notification.id)) === null ? 0 : 1,
      counted: (await feed.counts()).unreadCount,
      entries: (await entries({})).length,
      ofUser: (await entries({ userId: entry.user.id })).length,
      filteredEntries: (await entries({ changedField: 'name' })).length,
      exported: await exported({}),
      exportedFiltered: await exported({ changedField: 'name' }),
    })
    const each = (count: number) => Object.fromEntries(names.map((name) => [name, count]))
    const names = Object.keys(await found())
    await replicate(false)
    const writeConcern = new WriteConcern(1)
    await notifications.insertMany([...toNotificationDocuments(notification)], { writeConcern })
    await changeEntries.insertOne(toChangeEntryDocument(entry), { writeConcern })
    expect(await notifications.countDocuments()).toBe(1)
    expect(await found()).toEqual(each(0))
    // It is unread already, and still the mark waits for the majority.
    await expect(feed.markUnread(notification.id, new Date())).rejects.toThrow('waiting for replication timed out')
    await replicate(true)
    await eventually(async () => (await feed.counts()).unreadCount === 1)
    expect(await found()).toEqual(each(1))
  })
})
