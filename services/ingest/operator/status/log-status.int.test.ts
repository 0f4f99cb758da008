import { makeUuidV7 } from '@herald/contracts'
import { findFreePort } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Binary, MongoClient } from 'mongodb'
import { createEmptyIngest, type TestIngest } from '#ingest/ingest.fixture'
import { commandEnvironment, runHere } from '../command-line/herald.fixture.ts'

let ingest: TestIngest
let environment: Record<string, string>
let client: MongoClient
beforeAll(async () => {
  ingest = await createEmptyIngest('log-status')
  await ingest.migrate()
  client = new MongoClient(process.env.MONGODB_URI ?? '')
  // It needs MongoDB only.
  const { MONGODB_URI = '', MONGODB_DATABASE = '' } = commandEnvironment(ingest)
  environment = { MONGODB_URI, MONGODB_DATABASE }
}, 300_000)
afterAll(async () => {
  await client?.close()
  await ingest?.stop()
})

const logStatus = (words: readonly string[] = [], changes: Record<string, string> = {}) =>
  runHere(['log', 'status', ...words], { ...environment, ...changes })

const collection = (name: string) => client.db(ingest.database).collection<{ _id: unknown }>(name)

/** Stores entries of a new subscriber, and assigns their order. */
async function recordEntries(count: number): Promise<string> {
  const subscriberId = crypto.randomUUID()
  const createdAt = new Date()
  const entries = Array.from({ length: count }, () => ({
    id: makeUuidV7(createdAt.getTime(), Buffer.from(crypto.randomUUID())),
    subscriberId,
    user: { id: crypto.randomUUID(), name: 'Ada', email: 'ada@example.com' },
    entityType: 'portfolio',
    entityId: 'p-1',
    entityTitle: 'Portfolio',
    actionType: 'update',
    changedField: 'title',
    beforeState: '"a"',
    afterState: '"b"',
    createdAt,
  }))
  const pagesBefore = await collection('log-pages').countDocuments()
  await ingest.store.changeEntries.insertNew(entries)
  const isRecorded = async () =>
    (await collection('log-pages').countDocuments()) > pagesBefore &&
    (await collection('log-state').countDocuments({ levelAt: { $exists: true } })) > 0
  await ingest.store.sequencer.work(
    async () => !(await isRecorded()),
    () => {},
  )
  return subscriberId
}

test('shows how far logs are recorded and sealed, and exits with 1 while one is stopped', async () => {
  expect((await logStatus()).stdout).toMatch(/recorded order +no sequencer has run\n.*origin +no sealer with a key/s)
  const subscriberId = await recordEntries(5)
  const unsealed = await logStatus()
  expect([unsealed.exitCode, unsealed.stderr]).toEqual([0, ''])
  expect(unsealed.stdout).toMatch(/recorded order +\d+ s behind what is stored/)
  expect(unsealed.stdout).toMatch(new RegExp(`${subscriberId} +5 +0 +– +5 for \\d+ s`))

  const publicKey = Buffer.alloc(32, 7)
  await collection('log-state').insertOne({
    _id: 'sealing',
    v: 1,
    origin: 'log.example.com',
    keys: [new Binary(publicKey)],
  } as never)
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(3n)
  const key = new Binary(Buffer.concat([Buffer.from(subscriberId.replaceAll('-', ''), 'hex'), size]))
  const sealedAt = new Date()
  const checkpoint = { _id: key, v: 1, root: new Binary(Buffer.alloc(32)), sealedAt, note: 'a note' }
  await collection('log-checkpoints').insertOne(checkpoint)
  const sealed = await logStatus(['--json'])
  expect(sealed.exitCode).toBe(0)
  expect(JSON.parse(sealed.stdout)).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    orderLagSeconds: expect.any(Number),
    sealing: { origin: 'log.example.com', publicKeys: [publicKey.toString('base64')] },
    stopped: 0,
    logs: [
      {
        subscriberId,
        length: 5,
        sealedSize: 3,
        sealedAt: sealedAt.toISOString(),
        unsealedSince: expect.stringMatching(/^\d{4}-/),
        verifierKeys: [expect.stringMatching(new RegExp(`^log\\.example\\.com/${subscriberId}\\+[0-9a-f]{8}\\+`))],
      },
    ],
  })

  const foundAt = new Date()
  const conflict = { _id: `conflict/${subscriberId}`, v: 1, reason: 'The reason', foundAt }
  await collection('log-state').insertOne(conflict)
  const stopped = await logStatus()
  expect(stopped.exitCode).toBe(1)
  expect(stopped.stdout).toContain('! 1 sealed log is stopped\n')
  expect(stopped.stdout).toContain(`! ${subscriberId} is stopped since ${foundAt.toISOString()}: The reason\n`)
  const one = await logStatus(['--subscriber', subscriberId])
  expect(one.exitCode).toBe(1)
  expect(one.stdout).toMatch(new RegExp(`public key +log\\.example\\.com/${subscriberId}\\+`))
  const another = await logStatus(['--subscriber', crypto.randomUUID()])
  expect([another.exitCode, another.stdout]).toEqual([0, expect.stringMatching(/ 0 +0 +– +none/)])
}, 300_000)

test('shows which witness is behind, and lists the logs in the form that witnesses take', async () => {
  const subscriberId = await recordEntries(2)
  const publicKey = Buffer.alloc(32, 7)
  const witnesses = ['w.example+00000001', 'v.example+00000002']
  const sealing = { v: 1, origin: 'log.example.com', keys: [new Binary(publicKey)], witnesses }
  await collection('log-state').replaceOne({ _id: 'sealing' as unknown } as never, sealing as never, { upsert: true })
  const key = (size: number) =>
    new Binary(
      Buffer.concat([Buffer.from(subscriberId.replaceAll('-', ''), 'hex'), Buffer.from([0, 0, 0, 0, 0, 0, 0, size])]),
    )
  const root = new Binary(Buffer.alloc(32))
  const sealedAt = new Date(Date.now() - 90_000)
  await collection('log-checkpoints').insertMany([
    { _id: key(1), v: 1, root, sealedAt: new Date(0), note: 'a note' },
    { _id: key(2), v: 1, root, sealedAt, unwitnessed: 'a note' },
  ] as never)
  const [witness] = witnesses
  const known = [{ witness, size: 1, problem: '404: it does not know the log', since: new Date() }]
  await collection('log-state').insertOne({ _id: `witnessed/${subscriberId}`, v: 1, witnesses: known } as never)

  const { stdout } = await logStatus(['--subscriber', subscriberId])
  expect(stdout).toMatch(new RegExp(`${subscriberId} +2 +1 `))
  expect(stdout).toMatch(/w\.example\+00000001 is behind with 1 of 1 logs, up to 9\d s\n/)
  expect(stdout).toMatch(/cosigned up to 1, and not further for 9\d s: 404: it does not know the log\n/)
  expect(stdout).toMatch(/cosigned up to 0, and not further for \d+ s\n/)

  const list = await runHere(['log', 'origins', '--contact', 'ops@example.com', '--qpd', '288'], environment)
  expect([list.exitCode, list.stderr]).toEqual([0, ''])
  const [head, ...logs] = list.stdout.trim().split('\n\n')
  expect(head).toBe('logs/v0')
  const form = /^vkey log\.example\.com\/[0-9a-f-]{36}\+[0-9a-f]{8}\+\S+\nqpd 288\ncontact ops@example\.com$/
  expect(logs).toEqual(logs.map(() => expect.stringMatching(form)))
  expect(logs.join()).toContain(`/${subscriberId}+`)
}, 300_000)

test('exits with 1 while MongoDB is unavailable', async () => {
  const MONGODB_URI = `mongodb://127.0.0.1:${await findFreePort()}/?replicaSet=none`
  const { exitCode, stderr } = await logStatus([], { MONGODB_URI })
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^MongoDB is unavailable: .+/)])
}, 300_000)
