import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { brokers, createTestKafka } from '../testing.fixture.ts'

test('a member that crashes has ended, so that another one starts with another broker', async () => {
  const { mention: topic } = await createTopics(brokers, topicsWithSuffix(`member-${process.pid}`))
  const kafka = createTestKafka()
  const record = { key: null, value: Buffer.from('x'), headers: {} }
  const producer = await kafka.connectProducer()
  await producer.send([record], { topic, partition: 0 })
  await producer.close()
  const create = () =>
    kafka.createMember({ groupId: topic, topics: [topic], shareOf: () => ({ records: 100, bytes: 1_000_000 }) })

  const first = create()
  const crashes: boolean[] = []
  first.listen({ crashed: ({ isFinal }) => void crashes.push(isFinal) })
  await first.run(async () => {
    throw new Error('failed')
  })
  await eventually(() => crashes.length > 0)
  expect(crashes).toEqual([true])
  await first.close()

  const second = create()
  const found: string[] = []
  await second.run(async ({ records }) => {
    found.push(...records.map(({ value }) => String(value)))
  })
  await eventually(() => found.includes('x'))
  await second.close()
}, 300_000)
