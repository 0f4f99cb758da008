import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { authenticationSettings } from '../auth/authentication-settings.ts'
import { httpSettings } from '../http/http-settings.ts'
import { booleanSetting, integerSetting, listSetting, originSetting, portSetting, urlSetting } from './setting-types.ts'
import { loadSettings } from './settings.ts'
import { observationSettings, retentionSettings, storageSettings } from './shared-settings.ts'

const schema = z.object({
  ...httpSettings({ port: 3002, adminPort: 9002 }),
  ...storageSettings,
  ...authenticationSettings,
  ...observationSettings,
  ...retentionSettings,
})
const pem = (type: 'public' | 'private') => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return type === 'public'
    ? publicKey.export({ type: 'spki', format: 'pem' }).toString()
    : privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
const least = {
  MONGODB_URI: 'mongodb://a:27017,b:27017/?replicaSet=rs',
  AUTH_JWKS_URI: 'https://issuer.example/keys',
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'herald',
}

/** The errors of some variables, the others being valid. */
function issuesOf(changes: Record<string, string>) {
  const loaded = loadSettings(schema, { ...least, ...changes })
  return loaded.ok ? [] : loaded.issues
}

test('applies defaults to unset and to empty variables', () => {
  const expected = {
    HOST: '0.0.0.0',
    PORT: 3002,
    ADMIN_PORT: 9002,
    LOG_LEVEL: 'info',
    MONGODB_DATABASE: 'herald',
    AUTH_USER_CLAIM: 'sub',
    AUTH_SUBSCRIBER_CLAIM: 'subscriber_id',
    AUTH_SCOPE_CLAIM: 'scope',
    AUTH_TOKEN_TYPES: ['JWT', 'at+jwt'],
    MAX_BODY_BYTES: 32 * 1024 * 1024,
    MAX_RESPONSE_BYTES: 48 * 1024 * 1024,
    RATE_LIMIT_PER_MINUTE: 600,
    CORS_ORIGINS: [],
    MAX_CONNECTIONS: 5_000,
    ...least,
  }
  expect(loadSettings(schema, least)).toEqual({ ok: true, settings: expected })
  const empty = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, '']))
  expect(loadSettings(schema, { ...empty, ...least, OTHER: 'x' })).toEqual({ ok: true, settings: expected })
})

test('reports all errors at once, without values', () => {
  const loaded = loadSettings(schema, {
    PORT: 'hush-1',
    ADMIN_PORT: '65536',
    LOG_LEVEL: 'hush-2',
    MONGODB_URI: 'hush-3',
    AUTH_PUBLIC_KEY: 'hush-4',
    CORS_ORIGINS: 'hush-5',
    RETENTION_DAYS: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'hush-6',
  })
  const names = loaded.ok ? [] : loaded.issues.map(({ name }) => name)
  expect(names.sort()).toEqual(
    ['ADMIN_PORT', 'AUTH_AUDIENCE', 'AUTH_ISSUER', 'AUTH_PUBLIC_KEY', 'CORS_ORIGINS', 'LOG_LEVEL', 'MONGODB_URI']
      .concat(['OTEL_EXPORTER_OTLP_ENDPOINT', 'PORT', 'RETENTION_DAYS'])
      .sort(),
  )
  expect(JSON.stringify(loaded)).not.toContain('hush')
})

describe('the signing keys', () => {
  test('are required from exactly one source', () => {
    const name = 'AUTH_JWKS_URI or AUTH_PUBLIC_KEY'
    expect(issuesOf({ AUTH_JWKS_URI: '' })).toEqual([{ name, detail: 'One is required' }])
    expect(issuesOf({ AUTH_PUBLIC_KEY: pem('public') })).toEqual([{ name, detail: 'Only one may be set' }])
  })

  test('may be a PEM with escaped line breaks', () => {
    const key = pem('public')
    const loaded = loadSettings(schema, { ...least, AUTH_JWKS_URI: '', AUTH_PUBLIC_KEY: key.replaceAll('\n', '\\n') })
    const read = loaded.ok ? loaded.settings.AUTH_PUBLIC_KEY?.key.export({ type: 'spki', format: 'pem' }) : undefined
    expect(read).toBe(key)
  })

  test.each([
    ['a private key', pem('private')],
    ['no key', '-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----'],
    ['a short RSA key', shortRsaKey()],
    [
      'a key of another kind',
      generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ],
  ])('must not be %s', (_name, key) => {
    expect(issuesOf({ AUTH_JWKS_URI: '', AUTH_PUBLIC_KEY: key })).toMatchObject([{ name: 'AUTH_PUBLIC_KEY' }])
  })
})

test.each([
  [
    'MONGODB_URI',
    ['mongodb://h', 'mongodb+srv://u:p@h/db?x=1'],
    ['http://h', 'mongodb:/h', 'mongodb://', 'mongodb:// h'],
  ],
  ['MONGODB_DATABASE', ['a-b_1'], ['a.b', 'a/b', 'a b', '$a', 'a'.repeat(64)]],
  ['AUTH_ISSUER', ['anything'], []],
  ['LOG_LEVEL', ['trace', 'silent'], ['INFO', 'verbose', ' info']],
  ['RETENTION_DAYS', ['1', '36500'], ['0', '-1', '1.5', '36501', '1e3']],
  [
    'CORS_ORIGINS',
    ['https://a.example, http://b.example:8080'],
    ['*', 'a.example', 'https://a.example/', 'https://a,'],
  ],
])('%s accepts only valid values', (name, right, wrong) => {
  for (const value of right) expect(issuesOf({ [name]: value })).toEqual([])
  for (const value of wrong) expect(issuesOf({ [name]: value })).toMatchObject([{ name }])
})

test.each([
  [booleanSetting(), { true: true, '1': true, false: false, '0': false }, ['yes', 'TRUE', ' true', '2']],
  [portSetting(), { '0': 0, '65535': 65_535 }, ['65536', '-1', '80.0', '0x50', ' 80', '8O', '１']],
  [integerSetting({ min: 5 }), { '5': 5, '007': 7 }, ['4', '99999999999999999999']],
  [listSetting(), { 'a, b': ['a', 'b'], a: ['a'] }, ['a,', ',', 'a,,b']],
  [
    urlSetting(),
    { 'https://a.example/x?y': 'https://a.example/x?y' },
    ['a.example', 'ftp://a', 'http://', 'http://u:p@a', 'http://a b'],
  ],
  [
    originSetting(),
    {
      'http://localhost:5173': 'http://localhost:5173',
      'capacitor://localhost': 'capacitor://localhost',
      'chrome-extension://abcdefghijklmnop': 'chrome-extension://abcdefghijklmnop',
      'ionic://localhost:8080': 'ionic://localhost:8080',
    },
    ['http://A.example', 'http://a:80', 'null', 'file://', 'file://localhost', 'ws://a', 'wss://a.example']
      .concat(['capacitor://localhost/', 'Capacitor://localhost', 'capacitor://a@b', 'capacitor:localhost', '*://a'])
      .concat(['https://*.example', 'data://a']),
  ],
])('type %# accepts only valid values', (type: z.ZodType, right, wrong) => {
  for (const [text, value] of Object.entries(right)) expect(type.parse(text)).toEqual(value)
  for (const text of wrong) expect(type.safeParse(text)).toMatchObject({ success: false })
})

function shortRsaKey(): string {
  return generateKeyPairSync('rsa', { modulusLength: 1024 })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString()
}
