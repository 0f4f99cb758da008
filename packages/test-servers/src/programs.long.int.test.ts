import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { MongoClient } from 'mongodb'
import { type StartedKafkaProgram, startKafkaProgram } from './kafka/kafka-program.ts'
import { createTopics } from './kafka/topics.ts'
import { type StartedReplicaSet, startReplicaSet } from './mongodb/replica-set.ts'
import { runs } from './processes/processes.fixture.ts'

// The first run on a machine fetches both programs.
jest.setTimeout(300_000)

let kafka: StartedKafkaProgram
let mongodb: StartedReplicaSet
beforeAll(async () => {
  ;[kafka, mongodb] = await Promise.all([startKafkaProgram(), startReplicaSet()])
})
afterAll(async () => {
  const pids = [kafka.pid, ...mongodb.members.map(({ pid }) => pid)]
  await Promise.all([kafka.stop(), mongodb.stop()])
  expect(pids.filter(runs)).toEqual([])
})

function kafkaClient(retries = 20) {
  return new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING, retry: { retries } })
}

async function produce(topic: string, value: string, retries?: number) {
  const producer = kafkaClient(retries).producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  await producer.send({ topic, messages: [{ value }] })
  await producer.disconnect()
}

async function consume(topic: string, groupId: string, count: number) {
  const consumer = kafkaClient().consumer({ groupId, maxWaitTimeInMs: 100 })
  const values: (string | undefined)[] = []
  const all = Promise.withResolvers<void>()
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({
    async eachMessage({ message }) {
      values.push(message.value?.toString())
      if (values.length === count) all.resolve()
    },
  })
  await all.promise
  await consumer.disconnect()
  return values
}

test('the broker stores records and keeps them over a kill and a restart', async () => {
  await createTopics(kafka.brokers, { mention: 'one' }, { partitions: 1 })
  await produce('one', 'before')
  expect(await consume('one', 'first', 1)).toEqual(['before'])

  const { brokers } = kafka
  kafka.kill('SIGKILL')
  await kafka.exited
  await kafka.restart()
  expect(kafka.brokers).toEqual(brokers)
  await produce('one', 'after')
  expect(await consume('one', 'second', 2)).toEqual(['before', 'after'])
})

/** Waits for the election, since the driver retries only once. */
async function untilAnotherPrimary(client: MongoClient, former: string) {
  for (;;) {
    const answer = await client
      .db('admin')
      .command({ hello: 1 })
      .catch(() => undefined)
    if (answer?.isWritablePrimary && answer.me !== former) return answer.me
  }
}

test('the broker does not create missing topics', async () => {
  await expect(produce('two', 'x', 0)).rejects.toThrow(/does not host this topic-partition/)
})

test('the replica set keeps a majority write over a kill and a restart', async () => {
  const client = await MongoClient.connect(mongodb.uri, { writeConcern: { w: 'majority', journal: true } })
  try {
    const things = client.db('programs').collection<{ _id: string }>('things')
    await things.insertOne({ _id: 'one' })
    mongodb.members[0]?.kill('SIGKILL')
    await mongodb.members[0]?.exited
    await mongodb.members[0]?.restart()
    expect(await things.findOne({})).toEqual({ _id: 'one' })
    await things.insertOne({ _id: 'two' })
  } finally {
    await client.close()
  }
})

test('a replica set of three elects another primary after the first was killed', async () => {
  const three = await startReplicaSet({ members: 3 })
  const client = await MongoClient.connect(three.uri, { writeConcern: { w: 'majority', journal: true } })
  try {
    const first = (await client.db('admin').command({ hello: 1 })).primary
    const killed = three.members.find(({ address }) => address === first)
    killed?.kill('SIGKILL')
    await killed?.exited
    expect(await untilAnotherPrimary(client, first)).not.toBe(first)
    await client.db('programs').collection<{ _id: string }>('things').insertOne({ _id: 'one' })
  } finally {
    await client.close()
    await three.stop()
  }
})
