import { createReleasers } from '@herald/runtime'
import { checkpointTopic, defaultTopics, type HeraldTopics } from '@herald/test-servers'
import { failureLogger, stopLimitMs } from '../failure-logger.ts'
import { type HeraldOptions, type StartedHerald, startHerald } from '../herald.ts'
import { createMailbox } from '../mail/mailbox.ts'
import { type StartedMail, startMail } from '../mail/start-mail.ts'
import { connectPublisher } from '../samples/cloud-events.ts'
import { untilListed, untilSealed } from '../samples/listing.ts'
import { createSampleAccount, type SampleAccount, sampleChanges, sampleMentions } from '../samples/samples.ts'
import { createSealing } from '../sealing.ts'
import { createTampering } from '../tampering/tampering.ts'
import { createDemo } from './demo.ts'

export type DemoStackOptions = Omit<HeraldOptions, 'gateway'> & {
  port?: number
  /** The program of the mailer, in place of the example. */
  mailerFile?: string
}

export type StartedDemo = {
  herald: StartedHerald
  account: SampleAccount
  demoUrl: string
  /** The newest of the sample notifications. */
  notificationId: string
  mail: Pick<StartedMail, 'smtpAddress' | 'problem'>
  stop(): Promise<void>
}

/** The number of unread notifications per user. */
const UNREAD = 4

/** Only unread samples are newer than an hour, so the others cause no e-mails. Who tries it out waits for none. */
const announcementSettings = {
  ANNOUNCE_UNREAD_AFTER_MINUTES: '1',
  ANNOUNCE_MAX_AGE_HOURS: '1',
  ANNOUNCE_UNREAD_PER_HOUR: '1000',
}

/** Starts Herald with the demo at its gateway and publishes sample events through Kafka. */
export async function startDemo({ port = 0, mailerFile, ...options }: DemoStackOptions): Promise<StartedDemo> {
  const { servers, log = () => {}, notificationTopic = 'notification-events', database = 'herald' } = options
  const releasers = createReleasers(failureLogger)
  try {
    const publisher = await connectPublisher(servers.kafkaBrokers)
    releasers.add('publisher', publisher.stop)
    const account = createSampleAccount('/demo/people')
    const mailbox = createMailbox()
    let startedMail: StartedMail | undefined
    const mails = () => ({ mails: mailbox.list(), problem: startedMail?.problem() })
    const herald = await startHerald({
      ...options,
      database,
      sealing: options.sealing ?? createSealing(ownName(checkpointTopic, options.topics)),
      notificationTopic,
      environment: { ...announcementSettings, ...options.environment },
      gateway: {
        port,
        mounts: async (mountable) => {
          const tampering = createTampering({
            mongodbUri: servers.mongodbUri,
            database,
            subscriberId: account.subscriberId,
            names: account.people.map(({ name }) => name),
            queryUrl: mountable.queryUrl,
            token: () => mountable.tokens.sign({ sub: account.userId, subscriber_id: account.subscriberId }),
            node: options.node ?? process.execPath,
          })
          releasers.add('tampering', tampering.stop, { limitMs: stopLimitMs })
          return { '/demo': await createDemo({ ...mountable, account, publisher, mails, tampering }) }
        },
      },
    })
    releasers.add('Herald', herald.stop, { limitMs: 2 * stopLimitMs })
    const demoUrl = `${herald.baseUrl}/demo/`
    // Takes a while, and nothing below needs it.
    const mailStarting = startMail({
      mailbox,
      demoUrl,
      notificationTopic,
      log,
      kafkaBrokers: servers.kafkaBrokers,
      topics: herald.topics,
      groupId: ownName('herald-demo-mailer', herald.topics),
      isUser: (userId) => account.people.some(({ id }) => id === userId),
      ...(mailerFile === undefined ? {} : { file: mailerFile }),
    })
    // Awaited below, unless the samples fail before.
    mailStarting.catch(() => {})
    releasers.add('mail', async () => (await mailStarting).stop(), { limitMs: stopLimitMs })

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
    const reader = { sub: account.userId, subscriber_id: account.subscriberId }
    const notificationId = new Map(newest).get(account.userId) ?? ''
    log('All samples are listed.')
    await untilSealed(herald.baseUrl, await herald.tokens.sign(reader), changes.length)
    log('All changes are sealed.')
    startedMail = await mailStarting
    if (startedMail.problem() === undefined) log('The mailer is ready.')
    return { herald, account, demoUrl, notificationId, mail: startedMail, stop: releasers.releaseAll }
  } catch (error) {
    await releasers.releaseAll()
    throw error
  }
}

/** Each demo has a group and a topic of checkpoints of its own, unless it uses the same topics. */
const ownName = (name: string, { mention }: Partial<HeraldTopics> = defaultTopics) =>
  mention === undefined || mention === defaultTopics.mention ? name : `${name}-${mention}`

async function markRead(baseUrl: string, token: string, ids: readonly string[]) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${baseUrl}/notifications/read`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ids }),
  })
  if (!response.ok) throw new Error(`POST /notifications/read returned ${response.status}: ${await response.text()}`)
}
