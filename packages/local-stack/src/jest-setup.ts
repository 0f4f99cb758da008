import { startServers } from './servers.ts'
import { keepForTeardown } from './servers-of-a-run.ts'

/** Finds Kafka and MongoDB for a test run, and gives their addresses to the tests as `npm test` does. */
// biome-ignore lint/style/noDefaultExport: jest asks for one.
export default async function findServers() {
  const servers = await startServers({ log: (line) => process.stderr.write(`${line}\n`) })
  process.env.KAFKA_BROKERS = servers.kafkaBrokers.join(',')
  process.env.MONGODB_URI = servers.mongodbUri
  keepForTeardown(servers)
}
