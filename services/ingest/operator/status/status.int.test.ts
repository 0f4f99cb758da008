import { createTopics, findFreePort } from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { attributes, mentionData, structured } from '#ingest/events/records.fixture'
import { createTestIngest, eventually, type TestIngest } from '#ingest/ingest.fixture'
import { connectTestClients } from '#ingest/kafka/kafka.fixture'
import { commandEnvironment, type RunningHerald, runHerald, watchHerald } from '../command-line/herald.fixture.ts'

const { admin, producer } = connectTestClients()
let ingest: TestIngest
let environment: Record<string, string>

beforeAll(async () => {
  ingest = await createTestIngest('status')
  environment = commandEnvironment(ingest)
}, 60_000)
afterAll(() => ingest?.stop())

const status = (words: readonly string[] = [], changes: Record<string, string> = {}) =>
  runHerald(['status', '--interval', '1', ...words], { ...environment, ...changes })

test('names what is missing before Herald is set up', async () => {
  const { exitCode, stdout } = await status()
  expect(exitCode).toBe(1)
  expect(stdout).toContain(`! The topic ${ingest.topics.mention} does not exist`)
  expect(stdout).toContain('! MongoDB: collection notifications is missing; run migrate')
}, 60_000)

test('shows brokers, lag and rate of each partition, and the state of MongoDB', async () => {
  await createTopics(ingest.brokers, ingest.topics)
  await ingest.store.migrate()
  const { value, headers } = structured(attributes(), mentionData())
  const messages = [1, 2, 3].map(() => ({ value, headers: headers as Record<string, Buffer>, partition: 0 }))
  await producer.send({ topic: ingest.topics.mention, messages })
  await admin.setOffsets({
    groupId: ingest.groupId,
    topic: ingest.topics.mention,
    partitions: [{ partition: 0, offset: '1' }],
  })
  const now = new Date()
  const receipt = {
    subscriberId: crypto.randomUUID(),
    recipientId: crypto.randomUUID(),
    notificationId: crypto.randomUUID(),
  }
  await ingest.store.receipts.apply(
    [{ ...receipt, kind: 'read', at: now, eventId: crypto.randomUUID(), record: '{}' }],
    { now, group: ingest.groupId },
  )
  const json = await status(['--json'])
  expect([json.exitCode, json.stderr]).toEqual([0, ''])
  expect(JSON.parse(json.stdout)).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    group: ingest.groupId,
    problems: [],
    kafka: {
      brokers: [{ address: ingest.brokers[0] }],
      partitions: expect.arrayContaining([
        { topic: ingest.topics.mention, partition: 0, lag: 2, published: 0, stored: 0 },
      ]),
    },
    mongodb: {
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      waitingReceipts: { count: 1, oldest: now.toISOString() },
      interruptedRequests: { count: 0 },
      dueAnnouncements: { count: 0 },
    },
  })
  const { stdout } = await status()
  expect(stdout).toMatch(new RegExp(`${ingest.topics.mention}/0 +2 +0 +0 +never`))
  expect(stdout).toContain('everything is in place')
  // Plain in a pipe.
  expect(stdout).not.toContain('\x1b')
}, 60_000)

describe('--watch', () => {
  const clear = '\x1b[2J\x1b[H'
  let running: RunningHerald | undefined
  afterEach(async () => {
    running?.kill()
    await running?.exited
  })

  const watch = (on: 'pipe' | 'terminal', words: readonly string[] = [], changes: Record<string, string> = {}) => {
    running = watchHerald(['status', '--watch', '--interval', '1', ...words], { ...environment, ...changes }, on)
    return running
  }
  const hasLag = (output: string, lag: number) => new RegExp(`${ingest.topics.mention}/0 +${lag} `).test(output)
  const publish = (value: string) =>
    producer.send({ topic: ingest.topics.mention, messages: [{ value, partition: 0 }] })

  test('shows the state again until SIGINT, plain in a pipe', async () => {
    const { output, interrupt, exited } = watch('pipe')
    await eventually(() => hasLag(output(), 2), 30_000)
    await publish('one more')
    await eventually(() => hasLag(output(), 3), 30_000)
    interrupt()
    expect(await exited).toBe(0)
    expect(output()).not.toContain('\x1b')
  }, 90_000)

  test('prints one JSON object per line, and exits with 1 if a topic is missing at the end', async () => {
    const missing = `missing-${process.pid}`
    const { output, interrupt, exited } = watch('pipe', ['--json'], { KAFKA_CHANGE_TOPIC: missing })
    await eventually(() => output().split('\n').length > 2, 30_000)
    interrupt()
    expect(await exited).toBe(1)
    const lines = output().trimEnd().split('\n')
    for (const line of lines) expect(JSON.parse(line).problems).toContainEqual(expect.stringContaining(missing))
  }, 90_000)

  const onLinux = process.platform === 'linux' ? test : test.skip
  onLinux(
    'clears a terminal before each picture, in colours, until Ctrl+C',
    async () => {
      const { output, interrupt, exited } = watch('terminal')
      await eventually(() => output().split(clear).length > 2, 30_000)
      interrupt()
      expect(await exited).toBe(0)
      expect(output()).toContain('\x1b[32m  everything is in place\x1b[39m')
    },
    90_000,
  )

  onLinux(
    'has no colours on a terminal with NO_COLOR',
    async () => {
      const { output, interrupt, exited } = watch('terminal', [], { NO_COLOR: '1' })
      await eventually(() => output().split(clear).length > 1, 30_000)
      interrupt()
      expect(await exited).toBe(0)
      expect(output().replaceAll(clear, '')).not.toContain('\x1b')
    },
    90_000,
  )
})

test('has colours in a pipe with FORCE_COLOR only', async () => {
  expect((await status([], { FORCE_COLOR: '1' })).stdout).toContain('\x1b[32m  everything is in place\x1b[39m')
}, 60_000)

test('shows the other one while MongoDB or the brokers are unavailable', async () => {
  const uri = `mongodb://127.0.0.1:${await findFreePort()}/?replicaSet=none`
  const withoutMongodb = await status([], { MONGODB_URI: uri })
  expect(withoutMongodb.exitCode).toBe(1)
  expect(withoutMongodb.stdout).toMatch(/^! MongoDB is unavailable: .+$/m)
  expect(withoutMongodb.stdout).toContain(`${ingest.topics.mention}/0`)
  const withoutKafka = await status([], { KAFKA_BROKERS: `127.0.0.1:${await findFreePort()}` })
  expect(withoutKafka.exitCode).toBe(1)
  expect(withoutKafka.stdout).toMatch(/^! Kafka is unavailable: .+$/m)
  expect(withoutKafka.stdout).toContain('waiting receipts')
}, 60_000)
