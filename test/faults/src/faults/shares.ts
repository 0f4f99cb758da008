import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { type StartedService, startService, topicSettings } from '@herald/local-herald'
import { createStore, type NewNotification } from '@herald/store'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import type { PartContext } from '../part.ts'
import { pause } from '../until.ts'
import { startQuietTenants } from './quiet-tenants.ts'

const mostMiB = 400
/** Noise of a busy machine: an idle page is not measured as faster. */
const leastIdleMs = 20

type Sizes = {
  readonly attackMs: number
  /** Notifications of 15 KB in the feed that is read with filters. */
  readonly notifications: number
  readonly bodies: number
  readonly streams: number
  readonly eventsOfStream: number
  readonly exports: number
}

const shortSizes: Sizes = {
  attackMs: 5_000,
  notifications: 300,
  bodies: 400,
  streams: 400,
  eventsOfStream: 20,
  exports: 40,
}
const fullSizes: Sizes = {
  attackMs: 30_000,
  notifications: 10_000,
  bodies: 2_360,
  streams: 3_000,
  eventsOfStream: 100,
  exports: 40,
}
const lists = 40
const creations = 70
const streamsOfUser = 50

type Seen = { requests: number; errors: number; p99: number }
type Attacker = { readonly subscriberId: string; readonly userId: string; readonly token: string }

let notes: Record<string, unknown> = {}
export const sharesNotes = () => notes
export const sharesSummary = () =>
  Object.entries(notes)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join('\n')

/** One tenant after the other takes what it can of everything that is shared, while ten others read and write. */
export async function takeEverything({ campaign, stack, strikes, isShort, log }: PartContext): Promise<void> {
  const { fleet, violations } = campaign
  const sizes = isShort ? shortSizes : fullSizes
  const uri = fleet.settings.MONGODB_URI ?? ''
  // A database and topics of their own, because the oracle knows nothing of what is stored here.
  const database = `${fleet.settings.MONGODB_DATABASE}-shares`
  const topics = await createTopics(stack.broker.direct.split(','), topicsWithSuffix(`${campaign.name}-shares`), {
    partitions: 1,
  })
  const store = createStore({ uri, database, applicationName: 'herald-faults' })
  await store.migrate()
  const settings = {
    ...fleet.settings,
    ...topicSettings(topics),
    KAFKA_GROUP_ID: `${campaign.groupId}-shares`,
    MONGODB_DATABASE: database,
    RATE_LIMIT_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
  }
  const query = await startService('query', settings)
  const ingest = await startService('ingest', settings)
  const quiet = await startQuietTenants({ query: query.url, ingest: ingest.url }, fleet.tokens)
  notes = {}
  try {
    const newAttacker = async (subscriberId: string = randomUUID()): Promise<Attacker> => {
      const userId = randomUUID()
      const scope = 'notifications:create change-entries:read'
      return {
        subscriberId,
        userId,
        token: await fleet.tokens.sign({ sub: userId, subscriber_id: subscriberId, scope }),
      }
    }
    const fill = async ({ subscriberId, userId }: Attacker, count: number) => {
      const some = Array.from({ length: count }, () => largeNotification(subscriberId, userId))
      for (let n = 0; n < count; n += 50) await store.notifications.insertNew(some.slice(n, n + 50))
    }
    const one = await newAttacker()
    await fill(one, sizes.notifications)
    // Two tenants, because one alone cannot open so many.
    const tenants = [randomUUID(), randomUUID()]
    const readers = await Promise.all(
      Array.from({ length: Math.ceil(sizes.streams / streamsOfUser) }, (_, n) => newAttacker(tenants[n % 2])),
    )
    const readerOf = (n: number) => readers[n % readers.length] ?? one
    await pause(2_000)
    const attacks: Record<string, () => Promise<() => void>> = {
      'filtered lists': () =>
        keepAsking(lists, () => send(query.url, '/?subjectId=00000000-0000-4000-8000-000000000000', one.token)),
      'bodies that do not end': () => openMany(sizes.bodies, () => stallBody(ingest.url, one.token)),
      'streams that nobody reads': async () => {
        const close = await openMany(sizes.streams, (n) => ask(query.url, '/notifications/stream', readerOf(n).token))
        for (const reader of readers) await fill(reader, sizes.eventsOfStream)
        return close
      },
      'exports that nobody reads': () =>
        openMany(sizes.exports, () => ask(query.url, '/change-entries/all', one.token)),
      'large creations': () => keepAsking(creations, () => send(ingest.url, '/', one.token, largeCreation())),
    }
    for (const [name, attack] of Object.entries(attacks)) {
      quiet.take()
      await pause(sizes.attackMs)
      const idle = toSeen(quiet.take())
      const end = await attack()
      await pause(sizes.attackMs)
      const during = quiet.take()
      end()
      strikes.push({ fault: name, inFlight: 0 })
      const seen = toSeen(during)
      notes[name] = { idleP99: idle.p99, ...seen, queryMiB: peakMiB(query), ingestMiB: peakMiB(ingest) }
      log(`${name}: ${JSON.stringify(notes[name])}`)
      for (const error of during.errors.slice(0, 3)) violations.add('shares', `${name}: ${error}`)
      // In the short form other parts run beside this one, so that times are only printed.
      if (!isShort && seen.p99 > 3 * Math.max(idle.p99, leastIdleMs))
        violations.add('shares', `${name}: p99 of ${seen.p99} ms`)
    }
    for (const service of [query, ingest]) {
      const peak = peakMiB(service)
      if (peak > mostMiB) violations.add('shares', `a process needed ${peak} MiB`)
    }
  } finally {
    await quiet.stop()
    await store.close()
    await query.stop()
    await ingest.stop()
  }
}

const toSeen = ({ requests, errors, p99 }: { requests: number; errors: string[]; p99: number }): Seen => ({
  requests,
  errors: errors.length,
  p99: Math.round(p99 * 10) / 10,
})

function peakMiB({ pid }: StartedService): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1_024)
}

function largeNotification(subscriberId: string, userId: string): NewNotification {
  const mention = { mentionerName: 'Eve', snippet: 'Look', entityType: 'portfolio' }
  const time = Date.now().toString(16).padStart(12, '0')
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
  return {
    id,
    createdAt: new Date(Number.parseInt(time, 16)),
    subscriberId,
    recipientIds: [userId],
    type: 'mention',
    actor: { id: userId, name: 'Eve', image: '' },
    actorType: 'user',
    subjectId: userId,
    subjectType: 'user',
    locationId: userId,
    locationType: 'comment',
    metadata: JSON.stringify({ mention, add: { text: 'x'.repeat(15_000) }, edit: {} }),
  }
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  return socket
}

/** Sends a request, and reads nothing of its response. */
async function ask(url: string, path: string, token: string): Promise<Socket> {
  const socket = await open(url)
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
  return socket
}

/** Sends all but the end of a body of 255 KiB. */
async function stallBody(url: string, token: string): Promise<Socket> {
  const socket = await open(url)
  const fields = `host: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 261120`
  socket.write(`POST / HTTP/1.1\r\n${fields}\r\n\r\n{"x":"${'x'.repeat(260_000)}`)
  return socket
}

async function openMany(count: number, openOne: (n: number) => Promise<Socket>): Promise<() => void> {
  const sockets = await Promise.all(Array.from({ length: count }, (_, n) => openOne(n)))
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

type Send = (signal: AbortSignal) => Promise<Response>

const send =
  (url: string, path: string, token: string, body?: string): Send =>
  (signal) =>
    fetch(`${url}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal,
    })

async function keepAsking(atOnce: number, newRequest: () => Send): Promise<() => void> {
  const stop = new AbortController()
  for (let n = 0; n < atOnce; n++) {
    void (async () => {
      while (!stop.signal.aborted) {
        const response = await newRequest()(stop.signal).catch(() => undefined)
        await response?.arrayBuffer().catch(() => {})
        if (response === undefined || !response.ok) await pause(100)
      }
    })()
  }
  return () => stop.abort()
}

function largeCreation(): string {
  const { type, actorType, subjectId, subjectType, locationId, locationType } = largeNotification('', randomUUID())
  const mention = { mentionerName: 'Eve', snippet: 'Look', entityType: 'portfolio' }
  const metadata = { mention, add: { text: 'x'.repeat(15_000) }, edit: {} }
  const recipientIds = Array.from({ length: 1_000 }, () => randomUUID())
  return JSON.stringify({ type, actorType, subjectId, subjectType, locationId, locationType, metadata, recipientIds })
}
