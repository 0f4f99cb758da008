import { readFileSync } from 'node:fs'
import { describeSettings, loadSettings } from '@herald/runtime'
import { expect, test } from '@jest/globals'
import { settingsSchema } from './config.ts'

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

/** Returns the rows of the table between the two comments, with trimmed cells. */
function tableOf(region: string): string[][] {
  const text = readme.split(`<!-- ${region} -->`)[1]?.split(`<!-- end of ${region} -->`)[0] ?? ''
  const rows = text.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

test('the table in the README matches the schema', () => {
  const rows = describeSettings(settingsSchema).map(({ name, default: preset, required, description }) => [
    `\`${name}\``,
    required ? 'required' : preset === null ? '' : `\`${preset}\``,
    description,
  ])
  expect(tableOf('settings of ingest')).toEqual(rows)
})

const required = {
  MONGODB_URI: 'mongodb://localhost/',
  AUTH_JWKS_URI: 'https://issuer.example/keys',
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'herald',
  KAFKA_BROKERS: 'localhost:9092',
}

const issuesOf = (environment: Record<string, string>) => {
  const loaded = loadSettings(settingsSchema, environment)
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
