import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSealing, type StartedHerald, startHerald } from '@herald/local-herald'
import { eventually, type StartedReplicaSet, startReplicaSet, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Db, MongoClient } from 'mongodb'
import { createBody } from '../support/create-body.ts'
import { derivedId } from '../support/derived-id.ts'
import { openEventStream } from '../support/event-stream.ts'
import { change, erasure, mention, receipt, retraction, structured } from '../support/events.ts'
import { connect, type TestHerald } from '../support/herald.ts'
import { dataOf, listIds } from '../support/notifications.ts'
import { startProgram } from '../support/program.ts'
import { createRoles } from '../support/roles.ts'
import { findServers, uniqueName } from '../support/servers.ts'

const password = randomUUID()
const programs = ['ingest', 'query', 'seal', 'migrate', 'operator'] as const
type Program = (typeof programs)[number]
const unique = uniqueName('roles')

let folder: string
let servers: StartedReplicaSet
let started: StartedHerald
let herald: TestHerald
let admin: MongoClient

const uriOf = (name: string) => servers.uri.replace('mongodb://', `mongodb://${name}:${password}@`)
const uris = () => Object.fromEntries(programs.map((name) => [name, uriOf(name)])) as Record<Program, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-roles-'))
  const keyFile = join(folder, 'key')
  await writeFile(keyFile, randomUUID().replaceAll('-', ''), { mode: 0o400 })
  servers = await startReplicaSet({ keyFile })
  const local = new MongoClient(servers.uri)
  await local.db('admin').command({ createUser: 'root', pwd: password, roles: ['root'] })
  await local.close()
  admin = new MongoClient(uriOf('root'))
  await createRoles(admin.db(unique))
  // Again, as in the next release.
  await createRoles(admin.db(unique))
  for (const name of programs) {
    const roles = [{ role: `herald-${name}`, db: unique }]
    await admin.db('admin').command({ createUser: name, pwd: password, roles })
  }
  const topics = topicsWithSuffix(unique)
  started = await startHerald({
    servers: { kafkaBrokers: findServers().kafkaBrokers, mongodbUri: uriOf('operator') },
    mongodbUris: uris(),
    database: unique,
    topics,
    notificationTopic: uniqueName('announced'),
    sealing: { ...createSealing(), SEAL_INTERVAL_SECONDS: '1' },
    environment: { KAFKA_GROUP_ID: unique, ANNOUNCE_UNREAD_AFTER_MINUTES: '1' },
  })
  herald = await connect({ ...started, databaseName: unique, groupId: unique })
})
afterAll(async () => {
  await herald?.disconnect()
  await started?.stop()
  await admin?.close()
  await servers?.stop()
  await rm(folder, { recursive: true, force: true })
})

test('each program does its work with its role', async () => {
  const ada = await herald.newUser()
  const reader = await herald.newUser({ subscriberId: ada.subscriberId })
  const attributes = { subscriberid: ada.subscriberId }
  const actor = { id: ada.id, name: 'Ada Lovelace', image: '' }
  const [one, two, retracted] = [
    mention([reader.id], attributes, { actor }),
    mention([reader.id], attributes),
    mention([reader.id], attributes),
  ]
  const { mention: mentions, change: changes, receipt: receipts, privacy } = herald.topics
  const stream = await openEventStream(herald.baseUrl, reader.token)
  await stream.until('unread-count')

  await herald.publish(mentions, [one, two, retracted].map(structured))
  await herald.publish(changes, [
    structured(change(attributes, { user: { id: ada.id, name: 'Ada', email: 'a@mail.example' } })),
  ])
  const early = { notificationId: derivedId(mention([reader.id], attributes)), recipientId: reader.id }
  const sent = { notificationId: derivedId(one), recipientId: reader.id }
  await herald.publish(
    receipts,
    [sent, early].map((data) => structured(receipt('herald.email.sent.v1', attributes, data))),
  )
  await stream.until('notification', 3)
  await herald.publish(mentions, [structured(retraction(attributes, { notificationId: derivedId(retracted) }))])
  await stream.until('retracted')
  const key = { 'idempotency-key': randomUUID() }
  const body = createBody([reader.id])
  const answers = [await ada.post('/', body, key), await ada.post('/', body, key)]
  expect(answers.map(({ status }) => status)).toEqual([201, 201])
  const id = derivedId(two)
  for (const state of ['read', 'unread', 'archived', 'unarchived']) {
    expect([state, (await reader.patch(`/notifications/${id}/${state}`)).status]).toEqual([state, 200])
  }
  const bulk = { all: true, locationType: 'comment' }
  expect((await reader.post('/notifications/archived', bulk)).status).toBe(200)
  expect((await reader.post('/notifications/seen', {})).status).toBe(200)
  const mute = (method: string, json?: object) =>
    reader.send(`/mutes/actor/${ada.id}`, { method, ...(json && { json }) })
  expect([(await mute('PUT', {})).status, (await mute('DELETE')).status]).toEqual([200, 204])
  expect(await listIds(reader, '?archived=any')).toHaveLength(3)

  await eventually(async () => (await reader.get('/change-entries/checkpoint')).status === 200)
  await herald.publish(privacy, [structured(erasure(attributes, ada.id))])
  await eventually(async () => (await reader.get('/change-entries/sealed')).text.includes('"erasure"'))
  const [entry] = dataOf<{ user: { name: string } }[]>(await reader.get('/change-entries/all'))
  expect(entry?.user.name).toBe('')
  await stream.close()
  for (const service of [started.ingest, started.query, started.seal]) {
    expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(200)
    expect(service.logs().filter((line) => /not authorized/i.test(line))).toEqual([])
  }
})

test('the command herald reads with its role', async () => {
  const environment = { MONGODB_URI: uriOf('operator'), MONGODB_DATABASE: unique, KAFKA_BROKERS: herald.brokers.join() }
  for (const words of [
    ['log', 'status'],
    ['migrate', '--dry-run'],
  ]) {
    const program = startProgram('ingest/dist/operator/herald.js', environment, words)
    expect([await program.ended, program.output()]).toEqual([{ code: 0, signal: null }, expect.anything()])
  }
})

const foreign: readonly (readonly [Program, readonly string[]])[] = [
  ['query', ['change-entries', 'fan-outs', 'tombstones', 'erasures', 'person-keys', 'create-requests', 'leases']],
  ['ingest', ['stream-keys']],
  ['seal', ['notifications', 'fan-outs', 'mutes', 'person-keys', 'stream-keys']],
  ['operator', ['notifications', 'change-entries']],
]

test('a program is refused what is written by others, and no other than seal writes to the logs', async () => {
  const logs = (await admin.db(unique).listCollections({ name: /^log-/ }, { nameOnly: true }).toArray()).map(
    ({ name }) => name,
  )
  expect(logs.length).toBeGreaterThan(3)
  for (const [program, collections] of foreign) {
    const client = new MongoClient(uriOf(program))
    for (const name of [...collections, ...(program === 'seal' ? [] : logs)]) {
      expect([program, name, await writesTo(client.db(unique), name)]).toEqual([program, name, [13, 13, 13, 13]])
    }
    await client.close()
  }
})

/** The codes of the errors by which each kind of write is refused; 0 for one that is not. */
function writesTo(database: Db, name: string): Promise<unknown[]> {
  const collection = database.collection(name)
  const writes = [
    collection.insertOne({}),
    collection.updateOne({ nothing: true }, { $set: { changed: true } }),
    collection.deleteOne({ nothing: true }),
    collection.drop(),
  ]
  return Promise.all(
    writes.map((write) =>
      write.then(
        () => 0,
        ({ code }) => code,
      ),
    ),
  )
}
