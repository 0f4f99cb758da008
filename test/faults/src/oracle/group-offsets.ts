import kafkajs, { type Admin, Kafka, logLevel } from 'kafkajs'
import { pause, until } from '../until.ts'

const { KafkaJSProtocolError } = kafkajs
const movedWithinMs = 60_000
/** A request of kafkajs to a broker that was frozen or moved may never settle. */
const settledWithinMs = 20_000
class NotSettled extends Error {}

/** Positions by `topic/partition`. */
export type Positions = ReadonlyMap<string, number>

/** Offsets as the broker reports them, queried at each call. Throws while the broker is unavailable. */
export type GroupOffsets = {
  committed(): Promise<Positions>
  ends(topics?: readonly string[]): Promise<Positions>
  run<T>(request: (admin: Admin) => Promise<T>): Promise<T>
  /** Deletes a topic. The broker accepts records for a moment after its answer, and deletes them too: this waits longer. */
  deleteTopic(topic: string): Promise<void>
  close(): Promise<void>
}

export function createGroupOffsets(broker: string, groupId: string, topics: readonly string[]): GroupOffsets {
  const kafka = new Kafka({
    clientId: 'faults-oracle',
    brokers: broker.split(','),
    connectionTimeout: 2_000,
    requestTimeout: 10_000,
    logLevel: logLevel.NOTHING,
    retry: { retries: 3, initialRetryTime: 50, maxRetryTime: 500 },
  })
  let connected: Promise<Admin> | undefined

  const connect = async (): Promise<Admin> => {
    const admin = kafka.admin()
    await admin.connect()
    return admin
  }

  const runOnce = async <T>(request: (admin: Admin) => Promise<T>): Promise<T> => {
    connected ??= connect()
    const current = connected
    try {
      return await settled(current.then(request))
    } catch (error) {
      // Requests share a client: another one has failed and disconnected it.
      if (connected !== current) throw new NotSettled('The connection of the oracle was closed', { cause: error })
      connected = undefined
      void current.then((admin) => admin.disconnect()).catch(() => {})
      throw error
    }
  }

  const settled = <T>(response: Promise<T>): Promise<T> => {
    const late = pause(settledWithinMs, undefined, { ref: false }).then(() => {
      throw new NotSettled('Kafka has not responded to the oracle')
    })
    return Promise.race([response, late])
  }

  // kafkajs does not wait for the coordinator of a group that is moving to another broker.
  const run = async <T>(request: (admin: Admin) => Promise<T>): Promise<T> => {
    const deadline = Date.now() + movedWithinMs
    for (;;) {
      try {
        return await runOnce(request)
      } catch (error) {
        const isMoving = error instanceof NotSettled || (error instanceof KafkaJSProtocolError && error.retriable)
        if (!isMoving || Date.now() > deadline) throw error
        await pause(200)
      }
    }
  }

  return {
    run,
    committed: () =>
      run(async (admin) => {
        const fetched = await admin.fetchOffsets({ groupId, topics: [...topics] })
        return new Map(
          fetched.flatMap(({ topic, partitions }) =>
            partitions.map(({ partition, offset }) => [`${topic}/${partition}`, Math.max(0, Number(offset))] as const),
          ),
        )
      }),
    ends: (selected = topics) =>
      run(async (admin) => {
        const positions = new Map<string, number>()
        for (const topic of selected) {
          for (const { partition, high } of await admin.fetchTopicOffsets(topic)) {
            positions.set(`${topic}/${partition}`, Number(high))
          }
        }
        return positions
      }),
    async deleteTopic(topic) {
      await run((admin) => admin.deleteTopics({ topics: [topic] }))
      await until(`the topic ${topic} to be deleted`, () =>
        run(async (admin) => !(await admin.listTopics()).includes(topic)),
      )
    },
    async close() {
      await connected?.then((admin) => admin.disconnect()).catch(() => {})
    },
  }
}
