import { randomUUID } from 'node:crypto'
import { createMovableTopic, type StartedKafkaCluster, startKafkaCluster } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { changeData } from './events.fixture.ts'
import { createEvents } from './events.ts'
import { createPublisher } from './publisher.ts'

let cluster: StartedKafkaCluster
beforeAll(async () => {
  cluster = await startKafkaCluster(2)
}, 300_000)
afterAll(() => cluster?.stop())

test('no event is missing when publish resolves after the leaders of partitions changed', async () => {
  const { topic, added, addedOnce, moveLeaders } = await createMovableTopic(cluster.brokers, 'moved')
  const kafka = new Kafka({ brokers: cluster.brokers, logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const { publish } = createPublisher({ producer, topics: { mention: topic, change: topic, receipt: topic } })
  const { changeRecorded } = createEvents({ source: '/moved' })
  const events = Array.from({ length: 64 }, (_, n) =>
    changeRecorded({ id: `${n}`, time: new Date(), subscriberId: randomUUID() }, changeData()),
  )
  const send = () => publish(...events)
  const once = await addedOnce(send, events.length)
  await moveLeaders()

  const moved = await added(send)

  for (const [partition, count] of once.entries()) expect(moved[partition]).toBeGreaterThanOrEqual(count)
  await producer.disconnect()
}, 300_000)
