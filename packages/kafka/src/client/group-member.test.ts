import { expect, test } from '@jest/globals'
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs'
import type { PartitionBatch } from '../port/kafka-port.ts'
import { createGroupMember } from './group-member.ts'

const topic = 'mentions'

/** A member whose consumer is in the hands of the test, with a batch of partition 0 that is being handled. */
async function startMember() {
  let join = (_event: object) => {}
  let eachBatch = async (_payload: EachBatchPayload) => {}
  const consumer = {
    events: { GROUP_JOIN: 'join' },
    on: (_name: string, listener: typeof join) => (join = listener),
    connect: async () => {},
    subscribe: async () => {},
    run: async (options: { eachBatch: typeof eachBatch }) => {
      eachBatch = options.eachBatch
    },
  }
  const kafka = { consumer: () => consumer as unknown as Consumer } as unknown as Kafka
  const member = createGroupMember(kafka, { groupId: 'g', topics: [topic], shareOf: () => ({ records: 1, bytes: 1 }) })
  const joins = (memberId: string, partitions: readonly number[]) =>
    join({ payload: { memberId, memberAssignment: { [topic]: partitions } } })
  let batch: PartitionBatch | undefined
  await member.run(async (given) => {
    batch = given
  })
  joins('one', [0])
  const read = { topic, partition: 0, messages: [], lastOffset: () => '9' }
  await eachBatch({ batch: read, isStale: () => false } as unknown as EachBatchPayload)
  return { joins, isStale: () => batch?.isStale() }
}

test('a member keeps its batch in a rebalance that leaves it the partition', async () => {
  const { joins, isStale } = await startMember()
  joins('one', [0, 1])
  expect(isStale()).toBe(false)
})

test('a batch is stale once the partition was lost, also if it came back', async () => {
  const { joins, isStale } = await startMember()
  joins('one', [1])
  expect(isStale()).toBe(true)
  joins('one', [0])
  expect(isStale()).toBe(true)
})

test('a batch is stale once the member was expelled, also if it got the partition again', async () => {
  const { joins, isStale } = await startMember()
  joins('two', [0])
  expect(isStale()).toBe(true)
})
