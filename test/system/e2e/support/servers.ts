import { randomBytes } from 'node:crypto'

/** The servers that Jest's global setup found or started. */
export function findServers() {
  const { KAFKA_BROKERS, MONGODB_URI } = process.env
  if (!KAFKA_BROKERS || !MONGODB_URI) throw new Error('KAFKA_BROKERS and MONGODB_URI are not set')
  return { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
}

/** A name that is unique across runs and test files. */
export const uniqueName = (name: string) => `e2e-${name}-${randomBytes(4).toString('hex')}`
