import { type HeraldOptions, startHerald } from '@herald/local-herald'
import { topicsWithSuffix } from '@herald/test-servers'
import { connect, type TestHerald } from './herald.ts'
import { findServers, uniqueName } from './servers.ts'

/** A Herald of one test file, with its own database and topics. Its processes can be inspected and stopped. */
export type OwnHerald = TestHerald & { stop(): Promise<void> }

/** Starts a Herald with settings of its own, or one that the file stops. The file is listed in `own-heralds.ts`. */
export async function startOwnHerald(
  name: string,
  settings: NodeJS.ProcessEnv = {},
  options: Pick<HeraldOptions, 'sealing' | 'notificationTopic'> = {},
): Promise<OwnHerald> {
  const servers = findServers()
  const unique = uniqueName(name)
  const environment = { KAFKA_GROUP_ID: unique, RATE_LIMIT_PER_MINUTE: '100000', ...settings }
  const herald = await startHerald({
    ...options,
    servers,
    database: unique,
    topics: topicsWithSuffix(unique),
    environment,
  })
  const connected = await connect({ ...herald, databaseName: unique, groupId: unique })
  return {
    ...connected,
    async stop() {
      await herald.stop()
      await connected.database.dropDatabase()
      await connected.disconnect()
    },
  }
}
