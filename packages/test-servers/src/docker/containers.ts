import { brokerSettings } from '../kafka/kafka-settings.ts'
import { initiateReplicaSet } from '../mongodb/replica-set.ts'
import { findFreePort } from '../processes/free-port.ts'
import { composeImage } from './compose-images.ts'

const START_WITHIN_MS = 180_000

/** Runs Kafka in Docker. The host port is chosen in advance, because the broker has to advertise it. */
export async function startKafkaContainer() {
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers')
  const { host } = (await getContainerRuntimeClient()).info.containerRuntime
  const port = await findFreePort()
  const settings = {
    ...brokerSettings,
    'controller.quorum.voters': '1@localhost:9093',
    listeners: 'PLAINTEXT://0.0.0.0:9092,CONTROLLER://localhost:9093',
    'advertised.listeners': `PLAINTEXT://${host}:${port}`,
  }
  const container = await new GenericContainer(composeImage('kafka'))
    .withExposedPorts({ container: 9092, host: port })
    .withEnvironment({ KAFKA_HEAP_OPTS: '-Xms256m -Xmx512m', ...asVariables(settings) })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(START_WITHIN_MS)
    .start()
  return {
    brokers: [`${host}:${port}`],
    stop: async () => {
      await container.stop({ timeout: 0 })
    },
  }
}

/** Runs MongoDB in Docker as a replica set of one. */
export async function startMongoDBContainer() {
  const { GenericContainer, Wait } = await import('testcontainers')
  const container = await new GenericContainer(composeImage('mongodb'))
    .withExposedPorts(27017)
    .withCommand(['mongod', '--replSet', 'herald', '--bind_ip_all', '--wiredTigerCacheSizeGB', '1', '--quiet'])
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/))
    .withStartupTimeout(START_WITHIN_MS)
    .start()
  const stop = async () => {
    await container.stop({ timeout: 0 })
  }
  try {
    // A direct connection, because the member's host name resolves only inside the container.
    const uri = `mongodb://${container.getHost()}:${container.getMappedPort(27017)}/?directConnection=true`
    await initiateReplicaSet(uri, 'herald', ['localhost:27017'])
    return { uri, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Converts setting names: `node.id` becomes `KAFKA_NODE_ID`. */
function asVariables(settings: Readonly<Record<string, string>>) {
  const variable = (name: string) => `KAFKA_${name.toUpperCase().replaceAll('.', '_')}`
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [variable(name), value]))
}
