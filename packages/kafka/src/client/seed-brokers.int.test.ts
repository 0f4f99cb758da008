import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createTopicProducer } from '../produce/topic-producer.ts'
import { brokers, createTestKafka } from '../testing.fixture.ts'

let run = 0
let close: (() => void) | undefined
afterEach(() => close?.())

/** A client whose first address accepts connections and does this with them, before that of the real broker. */
async function startWith(onConnection: (socket: Socket) => void) {
  const { mention: topic } = await createTopics(brokers, topicsWithSuffix(`seeds-${process.pid}-${run++}`))
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  const { port } = server.address() as AddressInfo
  const kafka = createTestKafka([`127.0.0.1:${port}`, ...brokers], { requestTimeout: 1_500 })
  return { kafka, topic, connections: () => sockets.length }
}

const member = (kafka: ReturnType<typeof createTestKafka>, topic: string) =>
  kafka.createMember({ groupId: topic, topics: [topic], shareOf: () => ({ records: 100, bytes: 1_000_000 }) })

const record = { key: null, value: Buffer.from('x'), headers: {} }

describe.each<[name: string, onConnection: (socket: Socket) => void]>([
  ['does not respond', () => {}],
  ['closes every connection', (socket) => void socket.end()],
])('a first broker that %s', (_, onConnection) => {
  test('describes topics through the next one, and does not return to the first', async () => {
    const { kafka, topic, connections } = await startWith(onConnection)
    expect((await kafka.describeTopics([topic])).has(topic)).toBe(true)
    expect(connections()).toBe(1)
    for (let count = 0; count < 3; count++) {
      expect((await kafka.describeTopics([topic])).has(topic)).toBe(true)
    }
    expect(connections()).toBe(1)
  }, 300_000)

  test('publishes through the next one at the second attempt, also if no attempt waits for the first to fail', async () => {
    const { kafka, topic } = await startWith(onConnection)
    const producer = createTopicProducer(kafka, topic)
    const publish = () => producer.publish(() => [{ record }], 3_000)
    await publish().catch(publish)
    await producer.close()
    const ends = await kafka.offsetsSince(topic, new Date(0))
    expect(ends.reduce((sum, { end }) => sum + end, 0n)).toBe(1n)
  }, 300_000)

  test('reads topics and group positions through the next one', async () => {
    const { kafka, topic } = await startWith(onConnection)
    const producer = await kafka.connectProducer()
    await producer.send([record], { topic })
    await producer.close()

    const read: string[] = []
    await kafka.readToEnd(topic, async ({ value }) => read.push(String(value)))
    expect(read).toEqual(['x'])

    const reader = kafka.createPositionReader(topic, [topic])
    expect(await reader.read()).toHaveLength(3)
    await reader.close()

    const consumer = member(kafka, topic)
    const found: string[] = []
    await consumer.run(async (batch) => {
      for (const { value } of batch.records) found.push(String(value))
      batch.resolve(batch.endOffset)
    })
    await eventually(() => found.length === 1)
    await consumer.close()
  }, 300_000)
})
