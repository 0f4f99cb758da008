import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { startReplicaSet, whyNoMongod } from '@herald/local-stack'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { notificationAt } from '../query.fixture.ts'
import { createStreamTest, openStream, type StartedQuery, type StreamTest } from './stream.fixture.ts'

const newUser = () => ({ id: randomUUID(), subscriberId: randomUUID() })

/** Stores notifications all the time, again and again the same until it is confirmed. */
function writeAllTheTime(world: StreamTest, user: ReturnType<typeof newUser>) {
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

/** As a client opens it: told to come again, as one is while MongoDB is away or slow, he does. */
async function openPatiently(...given: Parameters<typeof openStream>) {
  for (const deadline = Date.now() + 20_000; ; ) {
    const stream = await openStream(...given)
    if (stream.response.status === 200) return stream
    await stream.close()
    expect([stream.response.status, Date.now() < deadline]).toEqual([503, true])
    await wait(100)
  }
}

/** One who stays, and one who comes back all the time, both see everything once, whatever happens meanwhile. */
async function expectEverythingOnce(world: StreamTest, query: StartedQuery, strike: () => Promise<unknown>) {
  const user = newUser()
  const token = await world.token(user)
  const stays = await openPatiently(query.url, token)
  await stays.until('heartbeat')
  const stop = writeAllTheTime(world, user)
  let lastEventId = stays.lastEventId()
  const returns: string[] = []
  let isStruck = false
  const struck = strike().finally(() => {
    isStruck = true
  })
  const comeBack = async (milliseconds: number) => {
    const stream = await openStream(query.url, token, lastEventId)
    await wait(milliseconds)
    await stream.close()
    expect(stream.named('reset')).toEqual([])
    returns.push(...stream.notificationIds())
    lastEventId = stream.lastEventId() || lastEventId
  }
  while (!isStruck) await comeBack(150)
  await struck
  await wait(1_000)
  const written = await stop()
  await stays.until('notification', written.length, 20_000)
  while (returns.length < written.length) await comeBack(500)
  expect(stays.named('reset')).toEqual([])
  expect(stays.notificationIds()).toEqual(written)
  expect(returns).toEqual(written)
  await stays.close()
}

describe('on one server', () => {
  let world: StreamTest
  let proxy: Awaited<ReturnType<typeof createCutter>>
  let query: StartedQuery

  beforeAll(async () => {
    world = await createStreamTest('faults')
    proxy = await createCutter(await addressOf(world))
    query = await world.start({ heartbeatMs: 100 }, `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`)
  })
  afterAll(async () => {
    await world?.end()
    await proxy?.close()
  })

  test('cursors that are killed', async () => {
    await expectEverythingOnce(world, query, async () => {
      for (let n = 0; n < 5; n++) {
        await wait(300)
        const operations = await world.client
          .db('admin')
          .aggregate([
            { $currentOp: { idleCursors: true } },
            { $match: { ns: `${world.database}.$cmd.aggregate`, 'cursor.cursorId': { $exists: true } } },
          ])
          .toArray()
        const cursors = operations.map(({ cursor }) => cursor.cursorId)
        if (cursors.length > 0)
          await world.client.db(world.database).command({ killCursors: '$cmd.aggregate', cursors })
      }
    })
  })

  test('a network that is cut and comes back', async () => {
    await expectEverythingOnce(world, query, async () => {
      await wait(500)
      proxy.cut()
      await wait(4_000)
      proxy.mend()
    })
  })
})

// Skipped only where this machine can have no mongod of its own; one that does not start is a failure.
const set = whyNoMongod(process.env) ? undefined : await startReplicaSet({ members: 3, replicaSet: 'streams' })

const onThree = set ? describe : describe.skip
onThree('on three servers', () => {
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

  test('the primary steps down', async () => {
    await expectEverythingOnce(world, query, async () => {
      await wait(500)
      await world.client.db('admin').command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 })
      await wait(4_000)
    })
  }, 90_000)

  test('the primary is killed', async () => {
    await expectEverythingOnce(world, query, async () => {
      await wait(500)
      const { primary } = await world.client.db('admin').command({ hello: 1 })
      const member = set?.members.find(({ address }) => address === primary)
      member?.kill('SIGKILL')
      await wait(6_000)
      await member?.restart()
    })
  }, 90_000)
})

/** Where the primary is for us: what a server in a container calls itself is no address out here. */
async function addressOf({ client }: StreamTest): Promise<string> {
  const [only, second] = client.options.hosts
  if (only && second === undefined) return String(only)
  return (await client.db('admin').command({ hello: 1 })).primary
}

/** A way to a server that can be cut. */
async function createCutter(target: string) {
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
    mend: () => {
      isCut = false
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
