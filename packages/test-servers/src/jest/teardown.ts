import { dropDatabasesOfRun } from '../mongodb/database-of-run.ts'
import { takeForTeardown } from './servers-of-a-run.ts'

/** Drops the run’s databases from a server that outlives the run, and stops the servers that the setup started. */
// biome-ignore lint/style/noDefaultExport: jest requires one.
export default async function stopServers() {
  const servers = takeForTeardown()
  if (servers?.found.mongodb === 'address') await dropDatabasesOfRun(servers.mongodbUri)
  await servers?.stop()
}
