import { type instructions, startDemo } from '@herald/local-herald'
import { defaultTopics, startKafkaProgram, startReplicaSet } from '@herald/test-servers'

export type LocalHerald = {
  readonly running: Parameters<typeof instructions>[0]
  stop(): Promise<void>
}

/** Starts Herald like `npm start`: samples, default topics and database, on its own broker and MongoDB. */
export async function startLocalHerald(): Promise<LocalHerald> {
  const [kafka, mongodb] = await Promise.all([startKafkaProgram(), startReplicaSet()])
  const servers = { kafkaBrokers: kafka.brokers, mongodbUri: mongodb.uri }
  const stopServers = async () => void (await Promise.all([kafka.stop(), mongodb.stop()]))
  try {
    const demo = await startDemo({ servers, topics: defaultTopics, database: 'herald' })
    const { herald, account, demoUrl, notificationId, mail } = demo
    const sign = (sub: string) => herald.tokens.sign({ sub, subscriber_id: account.subscriberId })
    const [token, otherToken] = [await sign(account.userId), await sign(account.otherUserId)]
    return {
      running: { herald, servers, account, token, otherToken, notificationId, demoUrl, mail },
      async stop() {
        await demo.stop()
        await stopServers()
      },
    }
  } catch (error) {
    await stopServers()
    throw error
  }
}
