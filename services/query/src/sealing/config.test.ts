import { generateKeyPairSync } from 'node:crypto'
import { loadSettings } from '@herald/runtime'
import { expect, test } from '@jest/globals'
import { sealSettingsSchema } from './config.ts'

const newKey = (type: 'ed25519' | 'x25519' = 'ed25519') =>
  generateKeyPairSync(type as 'ed25519')
    .privateKey.export({ format: 'pem', type: 'pkcs8' })
    .toString()
const [key, other] = [newKey(), newKey()]
const required = { MONGODB_URI: 'mongodb://localhost/' }
const sealing = { ...required, LOG_SIGNING_KEY: key, LOG_ORIGIN: 'log.example.com/herald' }

const load = (environment: Record<string, string>) => loadSettings(sealSettingsSchema, environment)
const issuesOf = (environment: Record<string, string>) => {
  const loaded = load(environment)
  return loaded.ok ? [] : loaded.issues.map(({ name, detail }) => `${name}: ${detail}`)
}

test.each<[string, Record<string, string>]>([
  ['without a key', required],
  ['with a key', sealing],
  ['with two keys', { ...sealing, LOG_SIGNING_KEY_PREVIOUS: other }],
  ['with a topic', { ...sealing, KAFKA_CHECKPOINT_TOPIC: 'checkpoints', KAFKA_BROKERS: 'localhost:9092' }],
  ['with a key in one line, as in an environment file', { ...sealing, LOG_SIGNING_KEY: key.replaceAll('\n', '\\n') }],
])('starts %s', (_, environment) => {
  expect(issuesOf(environment)).toEqual([])
})

test.each<[string, Record<string, string>, string[]]>([
  ['a text as the key', { LOG_SIGNING_KEY: 'secret' }, ['LOG_SIGNING_KEY: Must be a private key in PEM']],
  ['another kind of key', { LOG_SIGNING_KEY: newKey('x25519') }, ['LOG_SIGNING_KEY: Must be an Ed25519 key']],
  [
    'an origin with a scheme',
    { LOG_ORIGIN: 'https://log.example.com' },
    ['LOG_ORIGIN: Must be written without a scheme'],
  ],
  ['a key without an origin', { LOG_ORIGIN: '' }, ['LOG_ORIGIN: Required with LOG_SIGNING_KEY']],
  ['an origin without a key', { LOG_SIGNING_KEY: '' }, ['LOG_SIGNING_KEY: Required with LOG_ORIGIN']],
  [
    'the same key twice',
    { LOG_SIGNING_KEY_PREVIOUS: key },
    ['LOG_SIGNING_KEY_PREVIOUS: Must not be the same key as LOG_SIGNING_KEY'],
  ],
  [
    'a previous key alone',
    { LOG_SIGNING_KEY: '', LOG_ORIGIN: '', LOG_SIGNING_KEY_PREVIOUS: other },
    ['LOG_SIGNING_KEY: Required with LOG_SIGNING_KEY_PREVIOUS'],
  ],
  ['a topic without brokers', { KAFKA_CHECKPOINT_TOPIC: 'c' }, ['KAFKA_BROKERS: Required with KAFKA_CHECKPOINT_TOPIC']],
  [
    'the topic of change events, by its default',
    { KAFKA_CHECKPOINT_TOPIC: 'change-events', KAFKA_BROKERS: 'localhost:9092' },
    ['KAFKA_CHECKPOINT_TOPIC: Must not be the same topic as KAFKA_CHANGE_TOPIC'],
  ],
  [
    'the topic of announcements',
    { KAFKA_CHECKPOINT_TOPIC: 'n', KAFKA_NOTIFICATION_TOPIC: 'n', KAFKA_BROKERS: 'localhost:9092' },
    ['KAFKA_CHECKPOINT_TOPIC: Must not be the same topic as KAFKA_NOTIFICATION_TOPIC'],
  ],
  ['an interval of 0', { SEAL_INTERVAL_SECONDS: '0' }, ['SEAL_INTERVAL_SECONDS: Must be a whole number from 1']],
  ['a part of SASL', { KAFKA_SASL_USERNAME: 'u' }, ['KAFKA_SASL_MECHANISM: Required', 'KAFKA_SASL_PASSWORD: Required']],
  [
    'everything at once',
    {
      LOG_SIGNING_KEY: 'secret',
      LOG_SIGNING_KEY_PREVIOUS: 'secret too',
      LOG_ORIGIN: 'https://log.example.com',
      SEAL_INTERVAL_SECONDS: 'often',
      KAFKA_CHECKPOINT_TOPIC: 'receipt-events',
    },
    [
      'LOG_SIGNING_KEY: Must be a private key in PEM',
      'LOG_SIGNING_KEY_PREVIOUS: Must be a private key in PEM',
      'LOG_ORIGIN: Must be written without a scheme',
      'SEAL_INTERVAL_SECONDS: Must be a whole number',
      'KAFKA_BROKERS: Required with KAFKA_CHECKPOINT_TOPIC',
      'KAFKA_CHECKPOINT_TOPIC: Must not be the same topic as KAFKA_RECEIPT_TOPIC',
    ],
  ],
])('refuses %s', (_, changes, expected) => {
  const issues = issuesOf({ ...sealing, ...changes })
  expect(issues).toHaveLength(expected.length)
  for (const [index, issue] of expected.entries()) expect(issues[index]).toContain(issue)
  expect(issues.join()).not.toContain('secret')
})
