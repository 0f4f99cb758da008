import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createHeraldClient } from '@herald/client'
import { createSealing, startDemo } from '@herald/local-herald'
import { eventually, startServers, topicsWithSuffix } from '@herald/test-servers'
import { Kafka, logLevel } from 'kafkajs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium } from './chromium.ts'
import { startHostPage } from './host-page.ts'

const artefacts = fileURLToPath(new URL('../artefacts/', import.meta.url))

export const wide = { width: 1280, height: 900 }
export const narrow = { width: 390, height: 844 }
export const schemes = ['light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

export type Stage = Awaited<ReturnType<typeof startStage>>
export type Component = 'herald-inbox' | 'herald-change-log'

/** Starts Herald with the demo at its gateway, a page of another origin that uses it, and a browser. */
export async function startStage() {
  const servers = await startServers()
  const run = randomUUID()
  const database = `browser-${run}`
  const host = await startHostPage()
  const environment = { CORS_ORIGINS: host.origin, LOG_LEVEL: 'fatal', RATE_LIMIT_PER_MINUTE: '6000' }
  const sealing = { ...createSealing(), SEAL_INTERVAL_SECONDS: '1' }
  const notificationTopic = `notification-events-${run}`
  const topics = topicsWithSuffix(run)
  const demo = await startDemo({ servers, topics, notificationTopic, database, environment, sealing })
  const { herald, account } = demo
  host.use(herald.baseUrl)
  const browser = await launchChromium()
  const errors: string[] = []
  await mkdir(artefacts, { recursive: true })

  async function openPage(url: string, options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext({ viewport: wide, reducedMotion: 'reduce', ...options })
    // Generous, because a busy machine is slow and timing is not under test here.
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    page.on('pageerror', ({ message }) => errors.push(message))
    page.on('console', (message) => {
      // Error responses are expected; each test asserts their effect.
      const isExpected = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isExpected) errors.push(message.text())
    })
    await page.goto(url)
    return page
  }

  /** The API as a user has it: it says what was saved, which the page only claims. */
  const clientOf = (sub: string) =>
    createHeraldClient({
      baseUrl: herald.baseUrl,
      token: () => herald.tokens.sign({ subscriber_id: account.subscriberId, sub }),
    })

  async function publishMentions(recipientId: string, mentions: readonly Mention[]): Promise<void> {
    const count = async () => await clientOf(recipientId).notifications.unreadCount()
    const before = await count()
    const contents = mentions.map((mention) => toMention(recipientId, mention))
    await publish(herald.topics.mention, 'herald.mention.created.v1', account.subscriberId, contents)
    await eventually(async () => (await count()) === before + mentions.length)
  }

  /** Publishes events of the last minutes, a millisecond apart. */
  async function publish(topic: string, type: string, subscriberId: string, contents: readonly object[]) {
    const producer = new Kafka({ brokers: [...servers.kafkaBrokers], logLevel: logLevel.NOTHING }).producer()
    await producer.connect()
    const start = Date.now() - contents.length
    const messages = contents.map((data, index) => {
      const time = new Date(start + index).toISOString()
      const attributes = { id: randomUUID(), source: '/browser-tests', type, time }
      const event = { specversion: '1.0', ...attributes, subscriberid: subscriberId, data }
      const headers = { 'content-type': 'application/cloudevents+json' }
      return { key: subscriberId, value: JSON.stringify(event), headers }
    })
    // Kafka takes requests of up to 1 MiB.
    for (let sent = 0; sent < messages.length; sent += 1_000) {
      await producer.send({ topic, messages: messages.slice(sent, sent + 1_000) })
    }
    await producer.disconnect()
  }

  return {
    demo,
    herald,
    account,
    database,
    servers,
    errors,
    /** Opens the demo, signed in as one of its three users. */
    openAs: (key: string, options: BrowserContextOptions = {}) => openPage(`${demo.demoUrl}?as=${key}`, options),
    openUrl: (url: string, options: BrowserContextOptions = {}) => openPage(url, options),
    /** Opens the page of the other origin with components, for the user in the claims. */
    async openHost(show: readonly Component[], claims: object = {}, options: BrowserContextOptions = {}) {
      const token = await herald.tokens.sign({ subscriber_id: account.subscriberId, ...claims })
      const query = new URLSearchParams(show.map((name) => ['show', name]))
      host.serve(undefined)
      return openPage(`${host.origin}/?${query}#token=${token}`, options)
    },
    /** Opens the page of the other origin with custom content, for the user `Mei Tanaka`. */
    async openContent(html: string) {
      const claims = { sub: account.userId, subscriber_id: account.subscriberId }
      host.serve(html, await herald.tokens.sign(claims))
      return openPage(host.origin, {})
    },
    /** Publishes a comment of the demo through Kafka. */
    async mention(as: string, to: readonly string[], text: string): Promise<void> {
      const response = await fetch(`${demo.demoUrl}mentions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ as, to, text, entityId: 'pf-2201' }),
      })
      if (!response.ok) throw new Error(`The demo responded with ${response.status}`)
    },
    /** Publishes change events of a subscriber, the first one being the oldest. */
    publishChanges: (subscriberId: string, changes: readonly object[]) =>
      publish(herald.topics.change, 'herald.change.recorded.v1', subscriberId, changes),
    clientOf,
    /** Publishes mentions of a user, the first one being the oldest, and waits until they are stored. */
    publishMentions,
    /** Publishes a mention of which the user is not told, and waits until it is stored. */
    async publishMuted(recipientId: string, mention: Mention): Promise<void> {
      const newest = async () => (await clientOf(recipientId).notifications.list({ limit: 1 })).notifications[0]
      await publish(herald.topics.mention, 'herald.mention.created.v1', account.subscriberId, [
        toMention(recipientId, mention),
      ])
      await eventually(async () => (await newest())?.metadata.mention.snippet === mention.text)
    },
    /** Publishes any number of mentions, each at a location of its own. Every third one is longer. */
    mentionOften: (recipientId: string, count: number) =>
      publishMentions(
        recipientId,
        Array.from({ length: count }, (_, index) => ({ text: textOf(index + 1) })),
      ),
    /** Call after each test: returns the errors of the pages, and restarts a server that a failed test left stopped. */
    async settle(): Promise<string[]> {
      const isDead = await Promise.race([herald.query.exited.then(() => true), pause(0, false)])
      if (isDead) await herald.query.restart()
      herald.query.kill('SIGCONT')
      return errors.splice(0)
    },
    keepPicture: (page: Page, name: string) => page.screenshot({ path: `${artefacts}${name}.png` }),
    async stop(): Promise<void> {
      await browser.close()
      await demo.stop()
      await host.stop()
    },
  }
}

/** The differences between mentions; the rest is alike. */
export type Mention = {
  readonly text: string
  readonly by?: string | undefined
  readonly actorId?: string | undefined
  readonly locationId?: string | undefined
}

const textOf = (number: number) =>
  `Mention ${number}${number % 3 === 0 ? '. Could you look at this before the end of the week? I would like to know what you think of it.' : ''}`

function toMention(recipientId: string, { text, by = 'Mei Tanaka', actorId, locationId }: Mention) {
  return {
    actor: { id: actorId ?? randomUUID(), name: by, image: '' },
    actorType: 'user',
    subjectId: recipientId,
    subjectType: 'user',
    locationId: locationId ?? randomUUID(),
    locationType: 'comment',
    metadata: { mention: { mentionerName: by, snippet: text, entityType: 'portfolio' } },
    recipientIds: [recipientId],
  }
}
