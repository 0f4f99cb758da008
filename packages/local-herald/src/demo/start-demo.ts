import { createReleasers } from '@herald/runtime'
import { failureLogger, stopLimitMs } from '../failure-logger.ts'
import { type HeraldOptions, type StartedHerald, startHerald } from '../herald.ts'
import { createPublisher } from '../samples/cloud-events.ts'
import { untilListed } from '../samples/listing.ts'
import { createSampleAccount, type SampleAccount, sampleChanges, sampleMentions } from '../samples/samples.ts'
import { createDemo } from './demo.ts'

export type DemoStackOptions = Omit<HeraldOptions, 'gateway'> & {
  port?: number
}

export type StartedDemo = {
  herald: StartedHerald
  account: SampleAccount
  demoUrl: string
  /** The newest of the sample notifications. */
  notificationId: string
  stop(): Promise<void>
}

/** The number of unread notifications per user. */
const UNREAD = 4

/** Starts Herald with the demo at its gateway and publishes sample events through Kafka. */
export async function startDemo({ port = 0, ...options }: DemoStackOptions): Promise<StartedDemo> {
  const { servers, log = () => {} } = options
  const releasers = createReleasers(failureLogger)
  try {
    const publisher = await createPublisher(servers.kafkaBrokers)
    releasers.add('publisher', publisher.stop)
    const account = createSampleAccount('/demo/people')
    const herald = await startHerald({
      ...options,
      notificationTopic: 'notification-events',
      environment: { ANNOUNCE_UNREAD_AFTER_MINUTES: '1', ...options.environment },
      gateway: {
        port,
        mounts: async ({ tokens, topics }) => ({ '/demo': await createDemo({ account, tokens, topics, publisher }) }),
      },
    })
    releasers.add('Herald', herald.stop, { limitMs: 2 * stopLimitMs })

    const now = new Date()
    const mentions = sampleMentions(account, herald.topics, now)
    const changes = sampleChanges(account, herald.topics, now)
    await publisher.publish([...mentions, ...changes])
    log(`Published ${mentions.length} mentions and ${changes.length} changes.`)

    const users = account.people.filter(({ key }) => key !== undefined)
    const newest = await Promise.all(
      users.map(async ({ id }) => {
        const token = await herald.tokens.sign({ sub: id, subscriber_id: account.subscriberId })
        const own = mentions.filter(({ event }) => (event.data as { recipientIds: string[] }).recipientIds.includes(id))
        const ids = await untilListed(herald.baseUrl, token, { mentions: own.length, changes: changes.length })
        await markRead(herald.baseUrl, token, ids.slice(UNREAD))
        return [id, ids[0] ?? ''] as const
      }),
    )
    const notificationId = new Map(newest).get(account.userId) ?? ''
    log('All samples are listed.')
    const demoUrl = `${herald.baseUrl}/demo/`
    return { herald, account, demoUrl, notificationId, stop: releasers.releaseAll }
  } catch (error) {
    await releasers.releaseAll()
    throw error
  }
}

async function markRead(baseUrl: string, token: string, ids: readonly string[]) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${baseUrl}/notifications/read`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ids }),
  })
  if (!response.ok) throw new Error(`POST /notifications/read returned ${response.status}: ${await response.text()}`)
}
