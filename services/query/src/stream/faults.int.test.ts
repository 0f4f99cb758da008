import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { isFullRun, usually } from '@herald/jest-preset/full-run'
import { startReplicaSet, whyNoMongod } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { notificationAt } from '../query.fixture.ts'
import { createStreamTest, openStream, type StartedQuery, type StreamTest } from './stream.fixture.ts'

const newUser = () => ({ id: randomUUID(), subscriberId: randomUUID() })

/** Stores notifications continuously, and retries each until it is acknowledged. */
function writeContinuously(world: StreamTest, user: ReturnType<typeof newUser>) {
  const written: string[] = []
  let isWriting = true
  const writing = (async () => {
    while (isWriting) {
      const one = notificationAt(Date.now(), user)
      while (true) {
        const stored = await world.store.notifications.insertNew([one]).catch(() => undefined)
        if (stored) break
        await wait(100)
      }
      written.push(one.id)
      await wait(10)
    }
  })()
  return async () => {
    isWriting = false
    await writing
    return written
  }
}

/** A permanent and a repeatedly reconnecting client both receive everything once, during and after the fault. */
async function expectEachOnce(world: StreamTest, query: StartedQuery, injectFault: () => Promise<unknown>) {
  const user = newUser()
  const token = await world.token(user)
  const permanent = await openStream(query.url, token)
  await permanent.until('heartbeat')
  const stop = writeContinuously(world, user)
  let lastEventId = permanent.lastEventId()
  const resumedIds: string[] = []
  let isFaultOver = false
  const injected = injectFault().finally(() => {
    isFaultOver = true
  })
  const reconnect = async (milliseconds: number) => {
    const stream = await openStream(query.url, token, lastEventId)
    await wait(milliseconds)
    await stream.close()
    expect(stream.named('reset')).toEqual([])
    resumedIds.push(...stream.notificationIds())
    lastEventId = stream.lastEventId() || lastEventId
  }
  while (!isFaultOver) await reconnect(150)
  await injected
  await wait(1_000)
  const written = await stop()
  await permanent.until('notification', written.length)
  while (resumedIds.length < written.length) await reconnect(500)
  expect(permanent.named('reset')).toEqual([])
  expect(permanent.notificationIds()).toEqual(written)
  expect(resumedIds).toEqual(written)
  await permanent.close()
}

describe('on one server', () => {
  let world: StreamTest
  let proxy: Awaited<ReturnType<typeof createProxy>>
  let query: StartedQuery

  beforeAll(async () => {
    world = await createStreamTest('faults')
    proxy = await createProxy(await addressOf(world))
    query = await world.start({ heartbeatMs: 100 }, `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`)
  })
  afterAll(async () => {
    await world?.end()
    await proxy?.close()
  })

  test('resumes after killed cursors', async () => {
    await expectEachOnce(world, query, async () => {
      for (let n = 0; n < 5; n++) {
        await wait(300)
        // The server rejects the ids of cursors as JavaScript numbers, which small ones would become.
        const operations = await world.client
          .db('admin')
          .aggregate(
            [
              { $currentOp: { idleCursors: true } },
              { $match: { ns: `${world.database}.$cmd.aggregate`, 'cursor.cursorId': { $exists: true } } },
            ],
            { promoteLongs: false },
          )
          .toArray()
        const cursors = operations.map(({ cursor }) => cursor.cursorId)
        if (cursors.length > 0)
          await world.client.db(world.database).command({ killCursors: '$cmd.aggregate', cursors })
      }
    })
  })

  if (isFullRun) test('resumes after a network interruption', resumesAfterInterruption)

  async function resumesAfterInterruption() {
    await expectEachOnce(world, query, async () => {
      await wait(500)
      proxy.cut()
      await wait(4_000)
      proxy.restore()
    })
  }

  test.each(usually([1_000], { inFullRuns: [1_000, 4_000] }))(
    'sends nothing of a person erased during an interruption of %s ms',
    async (milliseconds) => {
      const [reader, stranger] = [newUser(), newUser()]
      const streams = await Promise.all(
        [reader, stranger].map(async (user) => openStream(query.url, await world.token(user))),
      )
      const [concerned, other] = streams
      if (!concerned || !other) throw new Error()
      for (const stream of streams) await stream.until('heartbeat')
      proxy.cut()
      await wait(200)
      const actor = { id: randomUUID(), name: 'Erased Person', image: '' }
      const before = [reader, stranger].map((user) => notificationAt(Date.now(), user, { actor }))
      await world.store.notifications.insertNew(before)
      const { subscriberId } = reader
      const erasure = { subscriberId, eventId: randomUUID(), time: new Date(), personId: actor.id }
      await world.store.erasures.accept([erasure])
      while ((await world.store.erasures.step(erasure))?.done === false);
      await wait(milliseconds)
      proxy.restore()
      const [reset] = await concerned.until('reset')
      expect(JSON.parse(reset?.data ?? '')).toEqual({ reason: 'erased' })
      await other.until('notification')
      const after = [reader, stranger].map((user) => notificationAt(Date.now(), user))
      await world.store.notifications.insertNew(after)
      await concerned.until('notification')
      await other.until('notification', 2)
      expect(concerned.notificationIds()).toEqual([after[0]?.id])
      expect(other.notificationIds()).toEqual([before[1]?.id, after[1]?.id])
      expect(other.named('reset')).toEqual([])
      for (const stream of streams) await stream.close()
    },
  )
})

const canStart = isFullRun && !whyNoMongod(process.env)
const set = canStart ? await startReplicaSet({ members: 3, replicaSet: 'streams' }) : undefined

if (isFullRun) (set ? describe : describe.skip)('on three servers', onThree)

function onThree() {
  let world: StreamTest
  let query: StartedQuery

  beforeAll(async () => {
    world = await createStreamTest('stepdown', set?.uri)
    query = await world.start({ heartbeatMs: 100 })
  })
  afterAll(async () => {
    await world?.end()
    await set?.stop()
  })

  test('resumes after a stepdown of the primary', async () => {
    await expectEachOnce(world, query, async () => {
      await wait(500)
      await world.client.db('admin').command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 })
      await wait(4_000)
    })
  }, 300_000)

  test('resumes after the primary is killed', async () => {
    await expectEachOnce(world, query, async () => {
      await wait(500)
      const { primary } = await world.client.db('admin').command({ hello: 1 })
      const member = set?.members.find(({ address }) => address === primary)
      member?.kill('SIGKILL')
      await wait(6_000)
      await member?.restart()
    })
  }, 300_000)
}

/** The reachable address of the primary: a server in a container reports an address that is only valid inside. */
async function addressOf({ client }: StreamTest): Promise<string> {
  const [only, second] = client.options.hosts
  if (only && second === undefined) return String(only)
  return (await client.db('admin').command({ hello: 1 })).primary
}

/** A proxy to a server whose connections can be cut. */
async function createProxy(target: string) {
  const [host, port] = target.split(':') as [string, string]
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((incoming) => {
    if (isCut) return incoming.resetAndDestroy()
    const outgoing = connect({ host, port: Number(port) })
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    restore: () => {
      isCut = false
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
