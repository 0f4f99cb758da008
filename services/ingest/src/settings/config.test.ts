import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSettings } from '@herald/runtime'
import { expect, test } from '@jest/globals'
import { ingestSettingsSchema } from './config.ts'
import { currentPage, page } from './settings-page.fixture.ts'

test('deploy/settings.md is up to date; run `npm run generate -w services/ingest` if it is not', () => {
  expect(page).toBe(currentPage)
})

const required = {
  MONGODB_URI: 'mongodb://localhost/',
  AUTH_JWKS_URI: 'https://issuer.example/keys',
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'herald',
  KAFKA_BROKERS: 'localhost:9092',
}

const issuesOf = (environment: Record<string, string>) => {
  const loaded = loadSettings(ingestSettingsSchema, environment)
  return loaded.ok ? [] : loaded.issues.map(({ name }) => name).sort()
}

test('accepts the required settings without any other', () => {
  expect(issuesOf(required)).toEqual([])
})

test('reports all missing settings at once', () => {
  const names = ['AUTH_AUDIENCE', 'AUTH_ISSUER', 'AUTH_JWKS_URI or AUTH_PUBLIC_KEY', 'KAFKA_BROKERS', 'MONGODB_URI']
  expect(issuesOf({})).toEqual(names)
})

test.each([
  ['KAFKA_BROKERS', 'localhost'],
  ['KAFKA_BROKERS', 'a:9092,,b:9092'],
  ['KAFKA_BROKERS', 'kafka://a:9092'],
  ['KAFKA_MENTION_TOPIC', 'mention events'],
  ['KAFKA_SSL', 'yes'],
  ['KAFKA_SASL_MECHANISM', 'gssapi'],
  ['LIVENESS_STALL_SECONDS', '9'],
  ['KAFKA_NOTIFICATION_TOPIC', 'a b'],
  ['ANNOUNCE_MAX_AGE_HOURS', '0'],
  ['RETENTION_DAYS', '0'],
])('rejects %s=%s', (name, value) => {
  const sasl = { KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' }
  expect(issuesOf({ ...required, ...(name.includes('SASL') ? sasl : {}), [name]: value })).toEqual([name])
})

test('requires all SASL settings or none', () => {
  expect(issuesOf({ ...required, KAFKA_SASL_USERNAME: 'u' })).toEqual(['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_PASSWORD'])
  const all = { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' }
  expect(issuesOf({ ...required, ...all })).toEqual([])
})

test.each([
  [{ KAFKA_DEAD_LETTER_TOPIC: 'mention-events' }, ['KAFKA_DEAD_LETTER_TOPIC']],
  [{ KAFKA_CHANGE_TOPIC: 'x', KAFKA_RECEIPT_TOPIC: 'x' }, ['KAFKA_RECEIPT_TOPIC']],
  [{ KAFKA_MENTION_TOPIC: 'x' }, []],
])('rejects equal topics: %j', (topics, faults) => {
  expect(issuesOf({ ...required, ...topics })).toEqual(faults)
})

test('reads the mapping file, and reports each of its issues', () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-'))
  const file = join(folder, 'mappings.yaml')
  const load = (text: string, others: Record<string, string> = {}) => {
    writeFileSync(file, text)
    return loadSettings(ingestSettingsSchema, { ...required, ...others, CDC_MAPPINGS: file })
  }
  const valid = `topics:
  shop.public.customer:
    { entityType: customer, subscriberId: tenant, entityId: id, entityTitle: name, user: { id: changed_by } }
`
  try {
    const loaded = load(valid)
    expect(loaded.ok && loaded.settings.CDC_MAPPINGS?.topics).toEqual(['shop.public.customer'])
    expect(load(valid, { KAFKA_CHANGE_TOPIC: 'shop.public.customer' })).toEqual({
      ok: false,
      issues: [{ name: 'CDC_MAPPINGS', detail: 'Must not map shop.public.customer, which is KAFKA_CHANGE_TOPIC' }],
    })
    const broken = load(valid.replace('entityId: id', 'entityId: 5').replace('entityTitle: name, ', ''))
    expect(broken.ok ? [] : broken.issues.map(({ name, detail }) => [name, detail.split(': ').slice(0, 2)])).toEqual([
      ['CDC_MAPPINGS', [`${file}:3:51`, '/topics/shop.public.customer/entityId']],
      ['CDC_MAPPINGS', [`${file}:2:3`, '/topics/shop.public.customer/entityTitle']],
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('rejects a topic of announcements that has another purpose', () => {
  for (const topic of ['mention-events', 'change-events', 'receipt-events', 'herald-dead-letter']) {
    expect(issuesOf({ ...required, KAFKA_NOTIFICATION_TOPIC: topic })).toEqual(['KAFKA_NOTIFICATION_TOPIC'])
  }
  expect(issuesOf({ ...required, KAFKA_NOTIFICATION_TOPIC: 'notification-events' })).toEqual([])
})

test('announces unread notifications only with a topic', () => {
  const unread = { ...required, ANNOUNCE_UNREAD_AFTER_MINUTES: '15' }
  expect(issuesOf(unread)).toEqual(['ANNOUNCE_UNREAD_AFTER_MINUTES'])
  const topic = { KAFKA_NOTIFICATION_TOPIC: 'notification-events' }
  expect(issuesOf({ ...unread, ...topic })).toEqual([])
  expect(issuesOf({ ...unread, ...topic, ANNOUNCE_UNREAD_AFTER_MINUTES: '10081' })).toHaveLength(1)
})
