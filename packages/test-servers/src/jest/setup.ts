import { nameDatabaseOfRun } from '../mongodb/database-of-run.ts'
import { startServers } from '../servers.ts'
import { keepForTeardown } from './servers-of-a-run.ts'

/** Finds or starts Kafka and MongoDB for a test run and sets their addresses, as `npm test` does. Tests without servers get none. */
// biome-ignore lint/style/noDefaultExport: jest requires one.
export default async function findServers() {
  if (process.env.HERALD_TESTS === 'pure') return
  const servers = await startServers({ log: (line) => process.stderr.write(`${line}\n`) })
  process.env.KAFKA_BROKERS = servers.kafkaBrokers.join(',')
  process.env.MONGODB_URI = servers.mongodbUri
  nameDatabaseOfRun()
  keepForTeardown(servers)
}
