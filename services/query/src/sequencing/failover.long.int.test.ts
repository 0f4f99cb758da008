import { type StartedService, startService } from '@herald/local-herald'
import { eventually, startReplicaSet, whyNoMongod } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { createTestQuery } from '../query.fixture.ts'
import { expectEachOnce, follow, storeSome } from './follower.fixture.ts'

/** However busy the machine is, only a test that hangs takes longer. */
const hangsAfterMs = 400_000
// Skipped only where no mongod can run; one that fails to start fails the test.
const set = whyNoMongod(process.env) ? undefined : await startReplicaSet({ members: 3, replicaSet: 'order' })

const onThree = set ? describe : describe.skip
onThree('on three servers', () => {
  let query: Awaited<ReturnType<typeof createTestQuery>>
  const processes: StartedService[] = []

  beforeAll(async () => {
    query = await createTestQuery('sequencing-failover', { MONGODB_URI: set?.uri ?? '' })
    await query.store.migrate()
    const settings = { PATH: process.env.PATH, MONGODB_URI: set?.uri, MONGODB_DATABASE: query.database }
    for (let n = 0; n < 2; n++) processes.push(await startService('seal', settings))
  }, hangsAfterMs)
  afterAll(async () => {
    for (const started of processes) await started.stop()
    await query?.stop()
    await set?.stop()
  })

  const primary = async () => {
    for (const member of set?.members ?? []) {
      const client = new MongoClient(`mongodb://${member.address}/?directConnection=true`, {
        serverSelectionTimeoutMS: 1_000,
        socketTimeoutMS: 2_000,
      })
      const hello = await client
        .db('admin')
        .command({ hello: 1 })
        .catch(() => undefined)
      await client.close()
      if (hello?.isWritablePrimary) return member
    }
    return undefined
  }

  test(
    'each entry has one place, and readers see one order, over stepdowns, killed and frozen primaries',
    async () => {
      const user = await query.newUser({ scope: 'change-entries:read' })
      const follower = follow(user)
      const writer = storeSome(query.store, user)
      const progress = async () => {
        const reached = follower.seen.length
        await eventually(
          async () => {
            await follower.readOn()
            return follower.seen.length > reached + 100
          },
          { within: hangsAfterMs / 4 },
        )
      }
      await progress()
      for (const fault of ['step down', 'kill', 'freeze', 'step down'] as const) {
        const lost = await eventually(primary)
        if (fault === 'step down') {
          const client = new MongoClient(`mongodb://${lost.address}/?directConnection=true`)
          await client.db('admin').command({ replSetStepDown: 20, force: true })
          await client.close()
        } else if (fault === 'kill') {
          lost.kill('SIGKILL')
          await progress()
          await lost.restart()
        } else {
          lost.kill('SIGSTOP')
          await eventually(async () => ((await primary())?.address ?? lost.address) !== lost.address)
          await progress()
          lost.kill('SIGCONT')
        }
        await progress()
      }
      await expectEachOnce(follower, await writer.stop())
      expect(follower.seen.length).toBeGreaterThan(500)
    },
    hangsAfterMs,
  )
})
