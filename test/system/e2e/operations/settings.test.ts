import { afterAll, expect, test } from '@jest/globals'
import { createPrograms } from '../support/standalone-programs.ts'

const programs = createPrograms()
afterAll(() => programs.stop())

const services = ['ingest', 'query'] as const
const authentication = ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URI', 'AUTH_PUBLIC_KEY']

test.each(services)('%s exits with code 1 and names all required settings when it has none', async (service) => {
  const program = programs.start(`${service}/dist/main.js`, {})
  expect(await program.ended).toEqual({ code: 1, signal: null })
  for (const name of [...authentication, 'MONGODB_URI', ...(service === 'ingest' ? ['KAFKA_BROKERS'] : [])]) {
    expect(program.output()).toContain(name)
  }
})

test.each(services)(
  '%s exits with code 1 without authentication settings, and nothing disables them',
  async (service) => {
    const { environment } = await programs.required()
    const { AUTH_ISSUER: _, AUTH_AUDIENCE: __, AUTH_PUBLIC_KEY: ___, ...rest } = environment
    const disabling = { AUTH_DISABLED: 'true', AUTH: 'off', NODE_ENV: 'development' }
    const program = programs.start(`${service}/dist/main.js`, { ...rest, ...programs.newDatabase(), ...disabling })
    expect(await program.ended).toEqual({ code: 1, signal: null })
    for (const name of authentication) expect(program.output()).toContain(name)
    expect(program.output()).not.toContain('MONGODB_URI')
  },
)

test.each(services)('%s names all invalid settings at once without their values', async (service) => {
  const { environment } = await programs.required()
  const invalid = {
    PORT: '70000',
    ADMIN_PORT: 'admin-port',
    LOG_LEVEL: 'loud',
    AUTH_PUBLIC_KEY: 'no-key-at-all',
    AUTH_ISSUER: '',
    MONGODB_URI: 'http://ada:pass-word@mail.example',
    RATE_LIMIT_PER_MINUTE: '-5',
    RETENTION_DAYS: 'never',
    CORS_ORIGINS: 'example',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector-1',
    ...(service === 'ingest'
      ? { KAFKA_SSL: 'perhaps', KAFKA_SASL_MECHANISM: 'kerberos', KAFKA_MENTION_TOPIC: 'a b' }
      : {}),
  }
  const program = programs.start(`${service}/dist/main.js`, { ...environment, ...invalid })
  expect(await program.ended).toEqual({ code: 1, signal: null })
  const unnamed = Object.keys(invalid).filter((name) => !program.output().includes(name))
  expect(unnamed).toEqual(service === 'query' ? ['RETENTION_DAYS'].filter((name) => unnamed.includes(name)) : [])
  for (const value of ['pass-word', 'no-key-at-all']) expect(program.output()).not.toContain(value)
})

test('ingest names the missing SASL settings beside other invalid ones', async () => {
  const { environment } = await programs.required()
  const half = { KAFKA_SASL_USERNAME: 'ada' }
  for (const other of [{}, { PORT: 'x' }]) {
    const all = { ...environment, ...programs.newDatabase(), ...half, ...other }
    const program = programs.start('ingest/dist/main.js', all)
    expect(await program.ended).toEqual({ code: 1, signal: null })
    for (const name of ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_PASSWORD', ...Object.keys(other)]) {
      expect(program.output()).toContain(name)
    }
  }
})

test('migrate exits with code 1 and names its required settings when it has none', async () => {
  const program = programs.start('ingest/dist/migrate.js', {})
  expect(await program.ended).toEqual({ code: 1, signal: null })
  expect(program.output()).toContain('MONGODB_URI')
})
