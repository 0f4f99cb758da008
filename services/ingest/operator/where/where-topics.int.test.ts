import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTopics, findFreePort, topicsWithSuffix } from '@herald/test-servers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createDecideCapturedChange } from '#ingest/captured-changes/map/decide-captured-change'
import { envelopeOf, mappingOf, recordOf, rowOf } from '#ingest/captured-changes/records.fixture'
import { mentionData } from '#ingest/events/records.fixture'
import { createTestWhere, event, idOf, mention, ofBoth, source, subscriber } from './where.fixture.ts'

const { ingest, producer, publish, where, eventuallyWhere, showsNothingPrivate } = createTestWhere('where-topics')
/** Topics that nothing consumes. */
const unread = topicsWithSuffix(`where-unread-${process.pid}`)
const captured = `where-captured-${process.pid}`
const folder = mkdtempSync(join(tmpdir(), 'where-'))

beforeAll(async () => void (await createTopics(ingest().brokers, { ...unread, notification: captured })), 60_000)
afterAll(() => rmSync(folder, { recursive: true }))

describe('dead', () => {
  test('with its code, place and the command that replays it', async () => {
    await publish(ingest().topics.mention, 'bad', mention, mentionData({ recipientIds: [] }))
    expect(await eventuallyWhere(event('bad'), 'dead')).toMatchObject({
      exitCode: 4,
      answer: {
        code: 'invalid_data',
        origin: expect.stringMatching(`^${ingest().topics.mention}/\\d+/\\d+$`),
        detail: expect.stringMatching(/^\/data\/recipientIds: /),
        hint: expect.stringMatching(/herald dead-letters show .*sent back it would fail again/),
      },
    })
    expect((await where(['--notification', idOf('bad')])).answer.answer).toBe('dead')
  }, 300_000)

  test('also if the record is not a valid event', async () => {
    await publish(ingest().topics.mention, 'no-time', mention, ofBoth(), { time: 'yesterday' })
    expect((await eventuallyWhere(event('no-time'), 'dead'))?.answer).toMatchObject({ code: 'invalid_attributes' })
    const value = `{"id":"cut","source":"${source}","data":`
    const headers = { 'content-type': 'application/cloudevents+json' }
    await producer.send({ topic: ingest().topics.mention, messages: [{ key: subscriber, value, headers }] })
    expect((await eventuallyWhere(event('cut'), 'dead'))?.answer).toMatchObject({ code: 'not_json' })
  }, 300_000)

  test('not if it is older than the dead letters that are searched', async () => {
    const { answer } = await where([...event('bad'), '--since', new Date(Date.now() + 60_000).toISOString()])
    expect(answer.answer).toBe('never seen')
  }, 300_000)
})

test('expired: it is older than the retention', async () => {
  const old = '2020-01-01T00:00:00.000Z'
  const run = await where(event('old', old), { RETENTION_DAYS: '30' })
  expect(run).toMatchObject({ exitCode: 7, answer: { createdAt: old, expiredAt: '2020-01-31T00:00:00.000Z' } })
}, 300_000)

describe('not consumed yet', () => {
  const elsewhere = { KAFKA_MENTION_TOPIC: unread.mention, KAFKA_GROUP_ID: `unread-${process.pid}` }

  test('with its place', async () => {
    for (const id of ['first', 'second', 'third']) await publish(unread.mention, id, mention, ofBoth())
    const run = await where(event('third'), elsewhere)
    expect(run).toMatchObject({ exitCode: 8, answer: { record: expect.stringContaining(`${unread.mention}/`) } })
  }, 300_000)

  test('possibly, if more records than allowed would have to be searched', async () => {
    const run = await where([...event('unknown'), '--scan', '1'], elsewhere)
    expect(run).toMatchObject({
      exitCode: 8,
      answer: { summary: expect.stringMatching(/^It may be among \d+ records/) },
    })
    expect((await where(event('unknown'), elsewhere)).answer.answer).toBe('never seen')
  }, 300_000)
})

test('never seen: nothing has a trace of it', async () => {
  const run = await eventuallyWhere(event('nothing'), 'never seen')
  expect(run).toMatchObject({ exitCode: 9, answer: { answer: 'never seen', searchedSince: expect.any(String) } })
}, 300_000)

describe('captured changes', () => {
  const file = join(folder, 'mappings.yaml')
  const row = rowOf({ tenant: subscriber })
  const { key, value } = recordOf(envelopeOf({ before: { ...row, name: 'Grace' }, after: row }, { ts_ms: Date.now() }))
  const decision = createDecideCapturedChange(mappingOf())({ ...recordOf(''), key, value }, { now: new Date() })
  const id = decision.kind === 'change-entries' ? (decision.documents[0]?.id ?? '') : ''
  const mapped = { CDC_MAPPINGS: file, KAFKA_GROUP_ID: `captured-${process.pid}` }

  beforeAll(() => {
    const mapping = { ...mappingOf(), user: { id: 'changed_by' } }
    writeFileSync(file, JSON.stringify({ topics: { [captured]: mapping } }))
  })

  // First, because a record that is still to be consumed is the answer otherwise.
  test('dead: an entry that the record would have made', async () => {
    const headers = {
      'herald-error-code': 'invalid_data',
      'herald-error-detail': 'of an earlier mapping',
      'herald-origin-topic': captured,
      'herald-origin-partition': '0',
      'herald-origin-offset': '7',
    }
    await producer.send({ topic: unread.deadLetter, messages: [{ key, value, headers }] })
    const run = await where(['--notification', id], { ...mapped, KAFKA_DEAD_LETTER_TOPIC: unread.deadLetter })
    expect(run).toMatchObject({ exitCode: 4, answer: { code: 'invalid_data', origin: `${captured}/0/7` } })
  }, 300_000)

  test('not consumed yet: an entry that a record will make', async () => {
    expect((await where(['--notification', id], mapped)).answer.answer).toBe('never seen')
    await producer.send({ topic: captured, messages: [{ key, value }] })
    expect(await where(['--notification', id], mapped)).toMatchObject({
      exitCode: 8,
      answer: { record: expect.stringMatching(`^${captured}/\\d+/0$`) },
    })
    // Only with its mapping does a record say which entries it makes.
    expect((await where(['--notification', id], { KAFKA_GROUP_ID: mapped.KAFKA_GROUP_ID })).answer.answer).toBe(
      'never seen',
    )
  }, 300_000)
})

describe('failures', () => {
  test('without MongoDB there is no answer', async () => {
    const uri = `mongodb://127.0.0.1:${await findFreePort()}/?replicaSet=none`
    const { exitCode, stdout, stderr } = await where(event('a'), { MONGODB_URI: uri })
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^MongoDB is unavailable: .+\n$/)
  }, 300_000)

  test('without a broker MongoDB still answers; what it does not know is unavailable', async () => {
    await publish(ingest().topics.mention, 'a', mention, ofBoth())
    await eventuallyWhere(event('a'), 'stored')
    const away = { KAFKA_BROKERS: `127.0.0.1:${await findFreePort()}` }
    expect((await where(event('a'), away)).answer.answer).toBe('stored')
    const { exitCode, stdout, stderr } = await where(event('nothing'), away)
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Kafka is unavailable: .+\n$/)
  }, 300_000)

  test.each([
    [['--notification', 'x'], '--notification: Must be a UUID'],
    [['--source', 's', '--id', 'i'], 'Either --source, --id and --time, or --notification is required'],
    [['--source', 's', '--id', 'i', '--time', 'noon'], '--time: Must be a time such as 2026-01-31T08:00:00Z'],
    [['--notification', subscriber, '--id', 'i'], '--notification excludes --source, --id and --time'],
    [['--frobnicate'], "Unknown option '--frobnicate'"],
  ])('%j is rejected', async (words, message) => {
    const { exitCode, stdout, stderr } = await where(words)
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr).toContain('See herald where --help')
  })

  test('names every invalid setting', async () => {
    const { exitCode, stderr } = await where(event('a'), { MONGODB_URI: '', KAFKA_BROKERS: 'nowhere' })
    expect(exitCode).toBe(2)
    expect(stderr).toBe('MONGODB_URI: Required\nKAFKA_BROKERS: Must be a comma-separated list of host:port\n')
  })
})

test.each(['bad', 'no-time'])(
  'prints no names, texts, e-mail addresses or states of %s',
  async (id) => {
    expect(await showsNothingPrivate(id)).toBe(true)
  },
  300_000,
)
