import { findFreePorts } from '@herald/test-servers'
import { createTokenIssuer } from '@herald/token-issuer'
import { MongoClient } from 'mongodb'
import { type Program, startProgram } from './program.ts'
import { findServers, uniqueName } from './servers.ts'

/** Starts programs of the product one by one; `stop` kills them and drops their databases. */
export function createPrograms() {
  const { kafkaBrokers, mongodbUri } = findServers()
  const started: Program[] = []
  const databases: string[] = []

  return {
    kafkaBrokers,

    start(path: string, environment: Record<string, string>): Program {
      const program = startProgram(path, environment)
      started.push(program)
      return program
    },

    /** Settings for a database that does not exist yet. */
    newDatabase() {
      const name = uniqueName('programs')
      databases.push(name)
      return { MONGODB_URI: mongodbUri, MONGODB_DATABASE: name }
    },

    /** All other required settings of a service. */
    async required() {
      const { settings } = await createTokenIssuer()
      const [port, adminPort] = await findFreePorts(2)
      const adminUrl = `http://127.0.0.1:${adminPort}`
      const environment = {
        ...settings,
        KAFKA_BROKERS: kafkaBrokers.join(','),
        KAFKA_GROUP_ID: uniqueName('programs'),
        HOST: '127.0.0.1',
        PORT: String(port),
        ADMIN_PORT: String(adminPort),
      }
      return { environment, adminUrl }
    },

    async stop() {
      await Promise.all(started.map((program) => program.stop()))
      const mongodb = new MongoClient(mongodbUri)
      for (const name of databases) await mongodb.db(name).dropDatabase()
      await mongodb.close()
    },
  }
}
