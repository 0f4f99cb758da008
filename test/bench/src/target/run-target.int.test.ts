import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type StartedHerald, startHerald } from '@herald/local-herald'
import { createTopics, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { runTarget } from './run-target.ts'
import { readTarget, targetSchema } from './settings.ts'

const uri = process.env.MONGODB_URI ?? ''
const kafkaBrokers = (process.env.KAFKA_BROKERS ?? '').split(',')
const database = `herald-test-target-${process.pid}`
const topics = topicsWithSuffix(database)
const client = new MongoClient(uri)
let herald: StartedHerald
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-target-'))
  await createTopics(kafkaBrokers, topics, { partitions: 3 })
  herald = await startHerald({
    servers: { kafkaBrokers, mongodbUri: uri },
    topics,
    database,
    environment: { RATE_LIMIT_PER_MINUTE: '1000000', LOG_LEVEL: 'warn' },
  })
})
afterAll(async () => {
  await herald.stop()
  await client.db(database).dropDatabase()
  await client.close()
  await rm(folder, { recursive: true })
})

async function settings(load: object): Promise<string> {
  const { tokens, query } = herald
  const privateKeyFile = join(folder, 'key.pem')
  await writeFile(privateKeyFile, tokens.privateKeyPem)
  const file = join(folder, 'target.json')
  const found = {
    kafka: { brokers: kafkaBrokers },
    mentionTopic: topics.mention,
    queryUrl: query.url,
    tokens: { privateKeyFile, keyId: tokens.keyId, issuer: tokens.issuer, audience: tokens.audience },
    mongodb: { uri, database },
    load,
  }
  await writeFile(file, JSON.stringify(found))
  return file
}

test('every recipient has every mention once, and nothing of the throw-away subscriber is left', async () => {
  const load = { seconds: 2, users: 20, streams: 5, eventsPerSecond: 50, pagesPerSecond: 20 }
  const { latencies, errors, feeds } = await runTarget(await readTarget(await settings(load)), () => {})
  expect(feeds).toEqual({ expected: 300, lost: 0, doubled: 0 })
  expect(errors).toEqual({ produce: 0, page: 0, notStreamed: 0 })
  expect(latencies).toMatchObject({ producedToStream: { count: 75 }, page: { count: 40 } })
  expect(latencies.page.p50).toBeGreaterThan(0)
  expect(await client.db(database).collection('notifications').countDocuments()).toBe(0)
})

test('names every invalid setting', async () => {
  const file = await settings({ seconds: 3_600, userz: 1 })
  await expect(readTarget(file)).rejects.toThrow(/seconds[\s\S]*userz|userz[\s\S]*seconds/)
  expect(targetSchema.safeParse({}).success).toBe(false)
  const both = { ...JSON.parse(await readFile(await settings({}), 'utf8')), tokenIssuerUrl: 'http://localhost:8081' }
  expect(targetSchema.safeParse(both).error?.issues).toMatchObject([
    { path: ['tokens'], message: 'Either tokens or tokenIssuerUrl is required, not both' },
  ])
})

test('the entry point of the image prints JSON, and fails with a message when a setting is invalid', async () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const run = promisify(execFile)
  const small = { seconds: 1, users: 3, streams: 1, eventsPerSecond: 5, pagesPerSecond: 5 }
  const { stdout } = await run(process.execPath, [main, await settings(small)])
  expect(JSON.parse(stdout)).toMatchObject({ feeds: { expected: 15, lost: 0, doubled: 0 } })
  const invalid = run(process.execPath, [main, await settings({ seconds: 0 })])
  await expect(invalid).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('seconds') })
})
