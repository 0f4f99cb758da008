import { createMovableTopic, type StartedKafkaCluster, startKafkaCluster } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestKafka } from '../testing.fixture.ts'

let cluster: StartedKafkaCluster
beforeAll(async () => {
  cluster = await startKafkaCluster(2)
}, 300_000)
afterAll(() => cluster?.stop())

test('records are sent to the new leader of their partition, although it has taken other records of the call', async () => {
  const { topic, added, addedOnce, moveLeaders } = await createMovableTopic(cluster.brokers, 'moved')
  const producer = await createTestKafka(cluster.brokers).connectProducer()
  const records = Array.from({ length: 64 }, (_, n) => ({
    key: Buffer.from(`${n}`),
    value: Buffer.from(`${n}`),
    headers: {},
  }))
  const send = () => producer.send(records, { topic })
  const once = await addedOnce(send, records.length)
  await moveLeaders()

  const moved = await added(send)

  // As many in each partition; more where a broker had taken some before the call was repeated.
  for (const [partition, count] of once.entries()) expect(moved[partition]).toBeGreaterThanOrEqual(count)
  await producer.close()
}, 300_000)
