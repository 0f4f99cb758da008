import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { brokers, createTestKafka } from '../testing.fixture.ts'

test('a record for a partition that the topic does not have is not sent, and not silently', async () => {
  const { mention: topic } = await createTopics(brokers, topicsWithSuffix(`producer-${process.pid}`), { partitions: 2 })
  const producer = await createTestKafka(brokers).connectProducer()
  const record = { key: null, value: Buffer.from('x'), headers: {} }
  try {
    await expect(producer.send([record], { topic, partition: 2 })).rejects.toThrow(`${topic} has no partition 2`)
    await producer.send([record], { topic, partition: 1 })
  } finally {
    await producer.close()
  }
})
