import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSealing, type StartedHerald, serviceFile, startHerald } from '@herald/local-herald'
import {
  createTopics,
  eventually,
  runCommand,
  type StartedProgram,
  type StartedReplicaSet,
  startReplicaSet,
  topicsWithSuffix,
} from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openEventStream } from '../support/event-stream.ts'
import { change, mention, structured } from '../support/events.ts'
import { connect, type TestHerald } from '../support/herald.ts'
import { dataOf } from '../support/notifications.ts'
import { findServers, uniqueName } from '../support/servers.ts'
import type { User } from '../support/user.ts'

// Does what the runbook says, with the files of a MongoDB of its own: first without `herald restored`, and then with it.
const entries = 1_000
const rows = 20
const mentions = 5
const name = uniqueName('restored')
const { kafkaBrokers } = findServers()
const topics = topicsWithSuffix(name)
const captured = `${name}-rows`
const subscriberId = randomUUID()
const userId = randomUUID()
const herald = fileURLToPath(new URL('../../../../services/ingest/operator/herald.mjs', import.meta.url))
const sealing = { ...createSealing(`${name}-checkpoints`), SEAL_INTERVAL_SECONDS: '1' }

let folder: string
let set: StartedReplicaSet
let services: StartedHerald
let connected: TestHerald
let environment: NodeJS.ProcessEnv
let user: User

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-restored-'))
  const mappings = join(folder, 'mappings.yaml')
  const mapping = { subscriberId: 'tenant', entityId: 'id', entityTitle: 'name', user: { id: 'changed_by' } }
  const mapped = { ...mapping, entityType: 'customer', replicaIdentity: 'full' }
  await writeFile(mappings, JSON.stringify({ topics: { [captured]: mapped } }))
  set = await startReplicaSet({ parentFolder: folder })
  await createTopics(kafkaBrokers, { ...topics, notification: captured })
  environment = { KAFKA_GROUP_ID: name, RATE_LIMIT_PER_MINUTE: '1000000', CDC_MAPPINGS: mappings }
  const servers = { kafkaBrokers, mongodbUri: set.uri }
  services = await startHerald({ servers, database: name, topics, environment, sealing })
  connected = await connect({ ...services, databaseName: name, groupId: name })
  user = await connected.newUser({ id: userId, subscriberId, scope: 'change-entries:read' })
}, 300_000)

afterAll(async () => {
  await connected?.disconnect()
  await services?.stop()
  await set?.stop()
  await rm(folder, { recursive: true, force: true })
}, 120_000)

const member = () => set.members[0] as StartedProgram

async function stopped(program: StartedProgram, work: () => Promise<void> = async () => {}): Promise<void> {
  program.kill('SIGTERM')
  await program.exited
  await work()
}

/** Copies the files of MongoDB while it is stopped. */
async function copyFiles(from: string, to: string): Promise<void> {
  await stopped(member(), async () => {
    await rm(to, { recursive: true, force: true })
    await cp(from, to, { recursive: true })
  })
  await member().restart()
}

const command = (file: string, words: readonly string[]) =>
  runCommand(process.execPath, [file, ...words], {
    environment: {
      ...process.env,
      ...environment,
      ...sealing,
      MONGODB_URI: set.uri,
      MONGODB_DATABASE: name,
      KAFKA_BROKERS: kafkaBrokers.join(','),
      KAFKA_MENTION_TOPIC: topics.mention,
      KAFKA_CHANGE_TOPIC: topics.change,
      KAFKA_RECEIPT_TOPIC: topics.receipt,
      KAFKA_PRIVACY_TOPIC: topics.privacy,
      KAFKA_DEAD_LETTER_TOPIC: topics.deadLetter,
    },
  })
/** Its lines, also with another exit code than 0. */
const status = () =>
  command(herald, ['status', '--interval', '1']).catch(({ cause }: { cause: { stdout: string } }) => cause.stdout)

function row(n: number) {
  const after = { id: n, name: `row ${n}`, tenant: subscriberId, changed_by: userId }
  const source = { connector: 'postgresql', name: 'shop', db: 'shop', schema: 'public', table: 'customer', lsn: n }
  const value = { op: 'u', before: { ...after, name: '' }, after, ts_ms: Date.now(), transaction: null }
  return {
    key: JSON.stringify({ id: n }),
    value: JSON.stringify({ ...value, source: { ...source, ts_ms: Date.now() } }),
  }
}

/** Publishes entries, rows and mentions of the user. */
async function publish(from: number): Promise<void> {
  const changes = Array.from({ length: entries }, () => structured(change({ subscriberid: subscriberId })))
  await connected.publish(topics.change, changes)
  await connected.publish(
    captured,
    Array.from({ length: rows }, (_, n) => row(from + n)),
  )
  const sent = Array.from({ length: mentions }, () => structured(mention([userId], { subscriberid: subscriberId })))
  await connected.publish(topics.mention, sent)
}

type Page = { changeEntries: { id: string }[]; nextCursor: string; hasMore: boolean }

const readPage = (cursor: string | undefined) =>
  user.get(`/change-entries?order=recorded&limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`)

/** Follows from a cursor until so many entries have come, in all. */
async function follow(count: number, cursor?: string) {
  const ids: string[] = []
  let next = cursor
  await eventually(
    async () => {
      for (let hasMore = true; hasMore; ) {
        const answer = await readPage(next)
        if (answer.status !== 200) return false
        const page = dataOf<Page>(answer)
        ids.push(...page.changeEntries.map(({ id }) => id))
        next = page.nextCursor
        hasMore = page.hasMore
      }
      return ids.length >= count
    },
    { within: 120_000 },
  )
  return { ids, cursor: next }
}

const statusOf = async (cursor: string | undefined) => (await readPage(cursor)).status
const countNotifications = async () =>
  dataOf<{ notifications: unknown[] }>(await user.get('/?limit=100')).notifications.length
const untilNotifications = (count: number) =>
  eventually(async () => (await countNotifications()) >= count, { within: 120_000 })
const sealedSize = async () => Number((await user.get('/change-entries/checkpoint')).text.split('\n')[1])

test('after a restore followers and streams lose nothing, or learn that they must begin anew', async () => {
  const ofBatch = entries + rows
  await publish(0)
  const kept = await follow(ofBatch)
  await untilNotifications(mentions)
  await eventually(async () => (await sealedSize()) === ofBatch, { within: 60_000 })
  const [data] = (await readdir(folder)).filter((file) => file.startsWith('herald-mongod-'))
  const [files, backup] = [join(folder, data ?? ''), join(folder, 'backup')]
  await copyFiles(files, backup)

  const stream = await openEventStream(services.baseUrl, user.token)
  await stream.until('heartbeat')
  await publish(rows)
  const lost = await follow(ofBatch, kept.cursor)
  expect([lost.ids.length, new Set([...kept.ids, ...lost.ids]).size]).toEqual([ofBatch, 2 * ofBatch])
  await stream.until('notification', mentions)
  await eventually(async () => (await sealedSize()) === 2 * ofBatch, { within: 60_000 })
  await connected.untilConsumed()
  const before = stream.lastId()

  // Without the command: nobody misses anything unnoticed, and it does not go away.
  for (const service of [services.ingest, services.seal]) await stopped(service)
  await copyFiles(backup, files)
  for (const service of [services.ingest, services.seal]) await service.restart()
  await eventually(async () => (await readPage(undefined)).status === 200, { within: 60_000 })
  expect([await statusOf(kept.cursor), await statusOf(lost.cursor)]).toEqual([200, 410])
  expect(await status()).toMatch(/! MongoDB was restored from a backup: .+ run herald restored/)
  const metrics = await (await fetch(`${services.ingest.adminUrl}/metrics`)).text()
  expect(metrics).toMatch(/^herald_restored_behind_seconds [1-9]/m)

  // With it.
  for (const service of [services.ingest, services.seal]) await stopped(service)
  expect(await command(herald, ['restored'])).toContain(`${captured}: `)
  const restoredAt = performance.now()
  const resets = stream.named('reset').length
  await eventually(() => stream.named('reset').length > resets, { within: 45_000 })
  expect(performance.now() - restoredAt).toBeLessThan(45_000)
  const resumed = await openEventStream(services.baseUrl, user.token, before)
  await resumed.until('reset')
  for (const service of [services.ingest, services.seal]) await service.restart()
  const regained = await follow(ofBatch, kept.cursor)
  expect([regained.ids.length, regained.ids.toSorted()]).toEqual([ofBatch, lost.ids.toSorted()])
  await untilNotifications(2 * mentions)
  expect(await countNotifications()).toBe(2 * mentions)
  await resumed.until('notification', mentions)
  expect(await statusOf(lost.cursor)).toBe(410)
  expect((await follow(2 * ofBatch)).ids.toSorted()).toEqual([...kept.ids, ...lost.ids].toSorted())
  await eventually(async () => (await status()).includes('1 sealed log is stopped'), { within: 60_000 })
  expect(await status()).not.toContain('MongoDB was restored')
  await command(serviceFile('query', 'seal'), ['--accept-restore', subscriberId])
  await eventually(async () => (await status()).includes('everything is in place'), { within: 60_000 })
  await Promise.all([stream.close(), resumed.close()])
}, 900_000)
