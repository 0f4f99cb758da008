import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { startReplicaSet, whyNoMongod } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Document, MongoClient } from 'mongodb'
import { notificationAt, pageIn, type ServedNotification } from '../query.fixture.ts'
import { createStreamTest, openStream, type StreamTest } from '../stream/stream.fixture.ts'

type Owner = { readonly id: string; readonly subscriberId: string }
type Answer = { readonly status: number; readonly retryAfter: string | null; readonly json: unknown }

const count = 20_000
/** However busy the machine is, only a test that hangs takes longer. */
const hangsAfterMs = 300_000
const startText = '2026-03-01T00:00:00Z'
const start = Date.parse(startText)
// Skipped only where no mongod can run; one that fails to start fails the test.
const set = whyNoMongod(process.env)
  ? undefined
  : await startReplicaSet({
      members: 3,
      replicaSet: 'marks',
      parameters: ['enableTestCommands=1'],
    })

const onThree = set ? describe : describe.skip
onThree('on three servers', () => {
  let world: StreamTest

  beforeAll(async () => {
    world = await createStreamTest('mark-many-failover', set?.uri)
  })
  afterAll(async () => {
    await world?.end()
    await set?.stop()
  })

  const feed = ({ id, subscriberId }: Owner) => world.store.notifications.of({ subscriberId, recipientId: id })

  async function listAll(owner: Owner): Promise<ServedNotification[]> {
    const all: ServedNotification[] = []
    for (let before: string | undefined; ; ) {
      const { notifications, next } = pageIn(await feed(owner).list({ limit: 5_000, status: 'all', before }))
      all.push(...notifications)
      if (next === null) return all.reverse()
      before = next
    }
  }

  /** Retries until a primary answers. */
  async function retryUntilPrimary<Result>(work: () => Promise<Result>): Promise<Result> {
    const deadline = Date.now() + hangsAfterMs / 2
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (Date.now() > deadline) throw error
        await pause(50)
      }
    }
  }

  const killed = new Set<string>()

  async function runOn(address: string, command: Document): Promise<Document> {
    const client = new MongoClient(`mongodb://${address}/?directConnection=true`)
    try {
      return await client.db('admin').command(command)
    } finally {
      await client.close()
    }
  }

  const living = () => (set?.members ?? []).map(({ address }) => address).filter((address) => !killed.has(address))

  /** The update that follows the first one on each server takes two seconds, so a bulk mark can't end before the fault. */
  const delayUpdates = async (mode: 'off' | { skip: number }) => {
    const data = { failCommands: ['update'], blockConnection: true, blockTimeMS: 2_000, appName: 'herald-query' }
    for (const address of living()) await runOn(address, { configureFailPoint: 'failCommand', mode, data })
  }

  /** Elections are left to `endWithoutPrimary`: one that is faster than the driver's own retry would hide the fault. */
  const losePrimary = async (lose: (primary: string) => Promise<unknown>) => {
    const { primary } = await retryUntilPrimary(() => world.client.db('admin').command({ hello: 1 }))
    for (const address of living()) if (address !== primary) await runOn(address, { replSetFreeze: 600 })
    await lose(primary)
  }
  const endWithoutPrimary = () =>
    Promise.all(
      living().map((address) =>
        runOn(address, { replSetFreeze: 0 }).catch((error) => {
          // One of the others was faster: this one is the primary by now.
          if (error.codeName !== 'NotSecondary') throw error
        }),
      ),
    )

  const stepDown = (primary: string) =>
    runOn(primary, { replSetStepDown: 600, secondaryCatchUpPeriodSecs: 5, force: true })
  const kill = async (primary: string) => {
    killed.add(primary)
    set?.members.find(({ address }) => address === primary)?.kill('SIGKILL')
  }

  test(
    'a bulk mark that loses its primary twice can be retried to the same end',
    async () => {
      const owner = { id: randomUUID(), subscriberId: randomUUID() }
      const others = [
        { id: randomUUID(), subscriberId: owner.subscriberId },
        { id: owner.id, subscriberId: randomUUID() },
      ]
      const stored = Array.from({ length: count + 1 }, (_, n) => notificationAt(start + n, owner))
      const [readBefore = '', ...selection] = stored.map(({ id }) => id)
      const ofOthers = others.map((other) => notificationAt(start, other))
      await retryUntilPrimary(() => world.store.notifications.insertNew([...stored, ...ofOthers]))
      await feed(owner).markRead(readBefore, new Date(start))

      const query = await world.start()
      const token = await world.token(owner)
      const stream = await openStream(query.url, token)
      await stream.until('heartbeat', 1, hangsAfterMs)
      const send = async (): Promise<Answer> => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const body = JSON.stringify({ all: true, upTo: selection.at(-1) })
        const answer = await fetch(`${query.url}/notifications/read`, { method: 'POST', headers, body })
        return { status: answer.status, retryAfter: answer.headers.get('retry-after'), json: await answer.json() }
      }
      let isFaultInjected = false
      /** Retried, as by any client, until there is a primary to begin with. */
      const mark = async () => {
        isFaultInjected = false
        for (;;) {
          const answer = await send()
          if (answer.status !== 503 || isFaultInjected) return answer
          await pause(100)
        }
      }
      const unavailable = {
        status: 503,
        retryAfter: expect.stringMatching(/^\d+$/),
        json: expect.objectContaining({ code: 'storage_unavailable' }),
      }
      /**
       * Excludes marks that a new primary may roll back, and waits until it has confirmed those of the last one: until then, a
       * majority read may return an older state. The others have one unread notification each.
       */
      const unreadNow = () => {
        const all = world.client.db(world.database).collection('notifications')
        const of = { readConcern: { level: 'linearizable' }, hint: 'box' } as const
        return retryUntilPrimary(async () => (await all.countDocuments({ box: 0 }, of)) - others.length)
      }

      await delayUpdates({ skip: 1 })
      let left = count
      for (const lose of [stepDown, kill]) {
        let isAnswered = false
        const answer = mark().finally(() => {
          isAnswered = true
        })
        while (!isAnswered && (await unreadNow()) >= left) await nextTurn()
        expect(isAnswered).toBe(false)
        isFaultInjected = true
        await losePrimary(lose)
        expect(await answer).toEqual(unavailable)
        await endWithoutPrimary()
        const now = await unreadNow()
        expect(now).toBeGreaterThan(0)
        expect(now).toBeLessThan(left)
        left = now
      }
      await delayUpdates('off')
      const newer = notificationAt(start + count + 1, owner)
      await retryUntilPrimary(() => world.store.notifications.insertNew([newer]))

      expect(await mark()).toEqual({
        status: 200,
        retryAfter: null,
        json: { data: { updated: left, unreadCount: 1, unseenCount: 1 } },
      })
      const [first, ...rest] = await listAll(owner)
      const last = rest.pop()
      expect([first?.id, first?.readAt]).toEqual([readBefore, startText])
      expect([last?.id, last?.readAt]).toEqual([newer.id, null])
      expect(rest.map(({ id }) => id)).toEqual(selection)
      expect(rest.filter(({ readAt }) => readAt === null || readAt === startText)).toEqual([])
      for (const other of others) expect((await feed(other).counts()).unreadCount).toBe(1)
      // The other client learns of every mark, by id or by an event that makes it list again, and counts the rest.
      const isKnown = () => {
        const states = stream.named('read-state').map(({ data }) => JSON.parse(data) as { ids?: string[]; all?: true })
        const named = new Set(states.flatMap(({ ids = [] }) => ids))
        return states.some(({ all }) => all) || selection.every((id) => named.has(id))
      }
      while (!isKnown()) await stream.until('read-state', stream.named('read-state').length + 1, hangsAfterMs)
      await stream.until('notification', 1, hangsAfterMs)
      while (!stream.named('unread-count').some(({ data }) => data === '{"unreadCount":1,"unseenCount":1}')) {
        await stream.until('unread-count', stream.named('unread-count').length + 1, hangsAfterMs)
      }
      await stream.close()
    },
    hangsAfterMs,
  )
})
