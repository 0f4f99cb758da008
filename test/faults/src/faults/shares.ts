import { randomUUID } from 'node:crypto'
import { type StartedService, startService, topicSettings } from '@herald/local-herald'
import { createStore, type Store } from '@herald/store'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import type { PartContext } from '../part.ts'
import { peakMiB, resetPeak } from '../process-figures.ts'
import { type AttackScene, startAttacker } from '../shares/attacker.ts'
import { fillFeed, fillLog, type Person } from '../shares/large-data.ts'
import { startQuietTenants } from '../shares/quiet-tenants.ts'
import { type Attackers, allAtOnce, type ShareSizes, shareAttacks } from '../shares/share-attacks.ts'
import { pause } from '../until.ts'

const mostMiB = 400
/** Noise of a machine: an idle page is not measured as faster. */
const leastIdleMs = 5
const settleMs = 2_000

type Sizes = ShareSizes & {
  readonly attackMs: number
  /** Notifications of 15 KB in the feed that is read with filters, and entries of 15 KB in its change log. */
  readonly notifications: number
  readonly entries: number
}

const shortSizes: Sizes = {
  attackMs: 4_000,
  notifications: 300,
  entries: 300,
  bodies: 400,
  streams: 400,
  eventsOfStream: 20,
}
const fullSizes: Sizes = {
  attackMs: 20_000,
  notifications: 10_000,
  entries: 4_000,
  bodies: 2_360,
  streams: 2_400,
  eventsOfStream: 50,
}
const streamsOfUser = 50
const quiet = { tenants: 10, notifications: 200, entries: 50, bytes: 500 } as const
const largeBytes = 15_000
const largePage = 20

let notes: Record<string, unknown> = {}
export const sharesNotes = () => notes
export const sharesSummary = () =>
  Object.entries(notes)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join('\n')

/** Without a rate limit every budget has to hold by itself; times count with the one that the services have by default. */
type Pass = {
  readonly title: string
  readonly settings: Readonly<Record<string, string>>
  readonly afterRefusalMs: number
  readonly isTimed: boolean
}
const unlimited: Pass = {
  title: 'without a rate limit',
  settings: { RATE_LIMIT_PER_MINUTE: '1000000' },
  afterRefusalMs: 100,
  isTimed: false,
}
/** An attacker's 600 requests last as long as the attack does. */
const limited: Pass = { title: 'with the rate limit', settings: {}, afterRefusalMs: 3_000, isTimed: true }

type World = {
  readonly context: PartContext
  readonly services: { readonly query: StartedService; readonly ingest: StartedService }
  readonly quietTenants: Awaited<ReturnType<typeof startQuietTenants>>
  readonly attacker: ReturnType<typeof startAttacker>
  readonly attackMs: number
  readonly pass: Pass
}

/** One tenant after the other takes what it can of everything that is shared, while ten others read and write. */
export async function takeEverything(context: PartContext): Promise<void> {
  const { campaign, stack, isShort } = context
  const { fleet } = campaign
  const sizes = isShort ? shortSizes : fullSizes
  // A database and topics of their own, because the oracle knows nothing of what is stored here.
  const database = `${fleet.settings.MONGODB_DATABASE}-shares`
  const topics = await createTopics(stack.broker.direct.split(','), topicsWithSuffix(`${campaign.name}-shares`), {
    partitions: 1,
  })
  const uri = fleet.settings.MONGODB_URI ?? ''
  const store = createStore({ uri, database, applicationName: 'herald-faults' })
  await store.migrate()
  const settings = {
    ...fleet.settings,
    ...topicSettings(topics),
    KAFKA_GROUP_ID: `${campaign.groupId}-shares`,
    MONGODB_DATABASE: database,
    LOG_LEVEL: 'error',
  }
  notes = {}
  try {
    const quietPeople = await createQuietPeople(context, store)
    const people = await createAttackers(context, store, sizes)
    for (const pass of isShort ? [unlimited] : [unlimited, limited]) {
      const { query, ingest } = await startServices({ ...settings, ...pass.settings })
      const urls = { query: query.url, ingest: ingest.url }
      const attacker = startAttacker({ MONGODB_URI: uri, MONGODB_DATABASE: database })
      const quietTenants = await startQuietTenants({ ...urls, tokens: quietPeople.map(({ token }) => token) })
      try {
        const scene = { ...urls, sizes, ...people, afterRefusalMs: pass.afterRefusalMs }
        await pause(settleMs)
        const world = { context, services: { query, ingest }, quietTenants, attacker, attackMs: sizes.attackMs, pass }
        for (const name of Object.keys(shareAttacks)) await attackOnce(world, scene, name)
      } finally {
        await attacker.stop()
        await quietTenants.stop()
        await query.stop()
        await ingest.stop()
      }
    }
  } finally {
    await store.close()
  }
}

async function startServices(settings: Record<string, string | undefined>) {
  return { query: await startService('query', settings), ingest: await startService('ingest', settings) }
}

async function attackOnce(world: World, scene: AttackScene, name: string) {
  const { context, services, quietTenants, attacker, attackMs, pass } = world
  const { campaign, strikes, log } = context
  const { violations } = campaign
  await quietTenants.take()
  await pause(attackMs)
  const idle = await quietTenants.take()
  for (const { pid } of Object.values(services)) resetPeak(pid)
  await attacker.begin(name, name === allAtOnce ? { ...scene, attackers: oneForAll(scene.attackers) } : scene)
  await pause(attackMs)
  const seen = await quietTenants.take()
  const peaks = { queryMiB: peakMiB(services.query.pid), ingestMiB: peakMiB(services.ingest.pid) }
  const { counts, withoutRetryAfter } = await attacker.end()
  const title = `${name}, ${pass.title}`
  strikes.push({ fault: title, inFlight: 0 })
  const errors = [...idle.errors, ...seen.errors]
  const times = { idleP99: round(idle.p99), p99: round(seen.p99), requests: seen.requests, errors: errors.length }
  notes[title] = { ...times, ...peaks, attacker: counts, withoutRetryAfter }
  log(`${title}: ${JSON.stringify(notes[title])}`)
  for (const error of errors.slice(0, 3)) violations.add('shares', `${title}: ${error}`)
  for (const MiB of Object.values(peaks)) {
    if (MiB > mostMiB) violations.add('shares', `${title}: a process needed ${MiB} MiB`)
  }
  if (withoutRetryAfter > 0) violations.add('shares', `${title}: refusals without Retry-After`)
  // Times are only printed where other parts run beside this one, where no rate limit holds, and where all attacks together with
  // the events that fill the attacked feeds keep the machine busy: its cores have no shares.
  if (pass.isTimed && name !== allAtOnce && seen.p99 > 3 * Math.max(idle.p99, leastIdleMs)) {
    violations.add('shares', `${title}: p99 of ${times.p99} ms, ${times.idleP99} ms when idle`)
  }
  await pause(settleMs)
}

const round = (ms: number) => Math.round(ms * 10) / 10

async function newPerson({ campaign }: PartContext, subscriberId: string = randomUUID()): Promise<Person> {
  const userId = randomUUID()
  const scope = 'notifications:create change-entries:read'
  const token = await campaign.fleet.tokens.sign({ sub: userId, subscriber_id: subscriberId, scope })
  return { subscriberId, userId, token }
}

async function createQuietPeople(context: PartContext, store: Store): Promise<Person[]> {
  const people = await Promise.all(Array.from({ length: quiet.tenants }, () => newPerson(context)))
  for (const person of people) {
    await fillFeed(store, person, quiet.notifications, quiet.bytes)
    await fillLog(store, person, quiet.entries, quiet.bytes)
  }
  return people
}

/** Every attack is by one user. */
function oneForAll(attackers: Attackers): Attackers {
  return Object.fromEntries(Object.keys(attackers).map((name) => [name, attackers.lists])) as Attackers
}

async function createAttackers(context: PartContext, store: Store, sizes: Sizes) {
  const lists = await newPerson(context)
  const colleague = () => newPerson(context, lists.subscriberId)
  const attackers = {
    lists,
    announced: await colleague(),
    exports: await colleague(),
    'held exports': await colleague(),
    marks: await colleague(),
    'single marks': await colleague(),
    creations: await colleague(),
    bodies: await colleague(),
  }
  await fillFeed(store, lists, sizes.notifications, largeBytes)
  await fillFeed(store, attackers.announced, largePage, largeBytes)
  await fillLog(store, lists, sizes.entries, largeBytes)
  const tenants = [randomUUID(), randomUUID()]
  const readers = Array.from({ length: Math.ceil(sizes.streams / streamsOfUser) }, (_, n) =>
    newPerson(context, tenants[n % tenants.length]),
  )
  return { attackers, readers: await Promise.all(readers) }
}
