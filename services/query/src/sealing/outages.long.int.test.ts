import type { StartedService } from '@herald/local-herald'
import {
  eventually,
  type StartedKafkaProgram,
  type StartedReplicaSet,
  startKafkaProgram,
  startReplicaSet,
  whyNoMongod,
} from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTestLogs, rootOf, type TestLogs } from './sealer.fixture.ts'

const hangsAfterMs = 400_000

// Skipped only where no mongod can run; one that fails to start fails the test.
const onOwnServers = whyNoMongod(process.env) ? describe.skip : describe
onOwnServers('on servers of its own', () => {
  let kafka: StartedKafkaProgram
  let set: StartedReplicaSet
  let logs: TestLogs
  let sealer: StartedService

  beforeAll(async () => {
    kafka = await startKafkaProgram()
    set = await startReplicaSet({ replicaSet: 'seal' })
    logs = await createTestLogs('outages', { mongodbUri: set.uri, brokers: kafka.brokers })
    await logs.prepare()
    sealer = await logs.start()
  }, hangsAfterMs)
  afterAll(async () => {
    // A process that ended would be missed only until another is started.
    expect(sealer?.logs().filter((line) => line.includes('"level":"fatal"'))).toEqual([])
    await logs?.stop()
    await kafka?.stop()
    await set?.stop()
  })

  const sealedUpTo = (subscriberId: string, size: number) =>
    eventually(async () => {
      const newest = (await logs.checkpoints(subscriberId)).at(-1)
      return newest?.size === size && newest.note !== undefined
    })
  const isPublished = (subscriberId: string) =>
    eventually(async () => {
      const [checkpoints, records] = [await logs.checkpoints(subscriberId), await logs.records(subscriberId)]
      return records.length >= checkpoints.length && records.at(-1)?.note === checkpoints.at(-1)?.note
    })

  test(
    'while Kafka is away sealing goes on, and what was not published is published later, also by another process',
    async () => {
      const subscriberId = logs.newSubscriber()
      await logs.storeEntries(subscriberId, 5)
      await sealedUpTo(subscriberId, 5)
      await isPublished(subscriberId)
      kafka.kill('SIGKILL')
      for (const size of [10, 15, 20]) {
        await logs.storeEntries(subscriberId, 5)
        await sealedUpTo(subscriberId, size)
      }
      await kafka.restart()
      await isPublished(subscriberId)

      kafka.kill('SIGKILL')
      await logs.storeEntries(subscriberId, 5)
      await sealedUpTo(subscriberId, 25)
      sealer.kill('SIGKILL')
      await sealer.restart()
      // Nothing is sealed before the topic was read.
      await logs.storeEntries(subscriberId, 5)
      await eventually(async () => (await logs.leaves(subscriberId)).length === 30)
      await eventually(() => sealer.logs().some((line) => line.includes('Could not seal change logs, retrying')))
      expect((await logs.checkpoints(subscriberId)).at(-1)?.size).toBe(25)
      await kafka.restart()
      await sealedUpTo(subscriberId, 30)
      await isPublished(subscriberId)
      const records = await logs.records(subscriberId)
      const checkpoints = await logs.checkpoints(subscriberId)
      expect([...new Set(records.map(({ note }) => note))]).toEqual(checkpoints.map(({ note }) => note))
    },
    hangsAfterMs,
  )

  test(
    'MongoDB may go away and come back',
    async () => {
      const subscriberId = logs.newSubscriber()
      await logs.storeEntries(subscriberId, 5)
      await sealedUpTo(subscriberId, 5)
      const [mongod] = set.members
      mongod?.kill('SIGKILL')
      await eventually(() => sealer.logs().some((line) => line.includes('Could not assign the recorded order')))
      await mongod?.restart()
      await eventually(() => logs.storeEntries(subscriberId, 5).then(() => true))
      await eventually(async () => {
        const [newest, leaves] = [(await logs.checkpoints(subscriberId)).at(-1), await logs.leaves(subscriberId)]
        return leaves.length >= 10 && newest?.size === leaves.length && newest.root.equals(rootOf(leaves))
      })
      await isPublished(subscriberId)
      expect(await logs.metric(sealer, 'herald_log_conflict')).toBe(0)
    },
    hangsAfterMs,
  )
})
