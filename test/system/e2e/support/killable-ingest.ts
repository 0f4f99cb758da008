import { serviceFile, startService, tokenSettings, topicSettings } from '@herald/local-herald'
import { createTopics, runCommand, startReplicaSet, topicsWithSuffix } from '@herald/test-servers'
import { createTokenIssuer } from '@herald/token-issuer'
import { createHeldCommands } from './held-commands.ts'
import { findServers, uniqueName } from './servers.ts'
import { createUser, type User } from './user.ts'

/** A user of both services. Requests to `ingest` go to the process that was started last. */
export type UserOfBoth = { readonly id: string; readonly ingest: () => Promise<User>; readonly query: User }

/** Query, and one ingest after the other, on a MongoDB whose commands can be held. */
export async function createKillableIngest(name: string) {
  const { kafkaBrokers } = findServers()
  const database = uniqueName(name)
  const servers = await startReplicaSet({ parameters: ['enableTestCommands=1'] })
  const releasers: (() => Promise<void>)[] = [servers.stop]
  const stop = async () => {
    for (const release of releasers.toReversed()) await release()
  }
  try {
    const notificationTopic = `notification-events-${database}`
    const topics = await createTopics(kafkaBrokers, { ...topicsWithSuffix(database), notification: notificationTopic })
    const tokens = await createTokenIssuer()
    const settings = {
      ...process.env,
      MONGODB_URI: servers.uri,
      MONGODB_DATABASE: database,
      KAFKA_BROKERS: kafkaBrokers.join(','),
      KAFKA_NOTIFICATION_TOPIC: notificationTopic,
      ...topicSettings(topics),
      ...tokenSettings(tokens),
    }
    await runCommand(process.execPath, [serviceFile('ingest', 'migrate')], { environment: settings })
    const heldCommands = await createHeldCommands(servers.uri, database)
    releasers.push(heldCommands.close)
    // A group of its own: the broker waits 10 s for the killed members of a group.
    const newIngest = async () => {
      const started = await startService('ingest', { ...settings, KAFKA_GROUP_ID: uniqueName(name) })
      releasers.push(started.stop)
      return started
    }
    const query = await startService('query', settings)
    releasers.push(query.stop)
    let ingest = await newIngest()
    return {
      heldCommands,
      brokers: kafkaBrokers,
      notificationTopic,
      async newUser(claims: { subscriberId: string; id: string }): Promise<UserOfBoth> {
        return {
          id: claims.id,
          ingest: () => createUser(ingest.url, tokens, claims),
          query: await createUser(query.url, tokens, claims),
        }
      },
      /** Kills ingest with SIGKILL. */
      async kill() {
        ingest.kill('SIGKILL')
        await ingest.exited
      },
      /** Starts ingest again after it was killed. */
      async startAgain() {
        ingest = await newIngest()
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

export type KillableIngest = Awaited<ReturnType<typeof createKillableIngest>>
