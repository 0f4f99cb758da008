import { createLogger } from '@herald/runtime'
import { afterAll, beforeAll } from '@jest/globals'
import kafkajs, { type Admin, type Producer } from 'kafkajs'
import { createKafka } from './client/create-kafka.ts'

export const brokers = (process.env.KAFKA_BROKERS ?? '').split(',')
export const quietLogger = createLogger({ name: 'test', level: 'silent' })

/** A client of the library itself, for a test's own topics and records. */
export const rawKafka = new kafkajs.Kafka({ clientId: 'test', brokers, logLevel: kafkajs.logLevel.NOTHING })

export const createTestKafka = (addresses: readonly string[] = brokers, options: { requestTimeout?: number } = {}) =>
  createKafka({ brokers: addresses, clientId: 'test', ...options }, quietLogger)

/** Connects an admin client and a producer for the tests of a file. */
export function connectTestClients(): { readonly admin: Admin; readonly producer: Producer } {
  const admin = rawKafka.admin()
  const producer = rawKafka.producer({ allowAutoTopicCreation: false })
  beforeAll(async () => {
    await Promise.all([admin.connect(), producer.connect()])
  })
  afterAll(async () => {
    await Promise.all([admin.disconnect(), producer.disconnect()])
  })
  return { admin, producer }
}
