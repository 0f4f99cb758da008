import { type Admin, Kafka, logLevel } from 'kafkajs'

/** Positions by `topic/partition`. */
export type Positions = ReadonlyMap<string, number>

/** Offsets as the broker reports them, queried at each call. Throws while the broker is unavailable. */
export type GroupOffsets = {
  committed(): Promise<Positions>
  ends(topics?: readonly string[]): Promise<Positions>
  run<T>(request: (admin: Admin) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function createGroupOffsets(broker: string, groupId: string, topics: readonly string[]): GroupOffsets {
  const kafka = new Kafka({
    clientId: 'faults-oracle',
    brokers: [broker],
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

  const run = async <T>(request: (admin: Admin) => Promise<T>): Promise<T> => {
    connected ??= connect()
    const current = connected
    try {
      return await request(await current)
    } catch (error) {
      if (connected === current) connected = undefined
      void current.then((admin) => admin.disconnect()).catch(() => {})
      throw error
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
    async close() {
      await connected?.then((admin) => admin.disconnect()).catch(() => {})
    },
  }
}
