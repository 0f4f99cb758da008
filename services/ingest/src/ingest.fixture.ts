import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { createLogger, createReleasers, loadSettings } from '@herald/runtime'
import { createStore } from '@herald/store'
import { emptiedDatabase, newDatabase, sharedDatabase, type TestDatabase, topicsWithSuffix } from '@herald/test-servers'
import { createTokenIssuer } from '@herald/token-issuer'
import { createIngest } from './app.ts'
import { ingestSettingsSchema } from './settings/config.ts'
import { quickTimes } from './settings/times.fixture.ts'
import type { Times } from './settings/times.ts'

type Options = {
  readonly environment?: Record<string, string>
  /** Other than {@link quickTimes}. */
  readonly times?: Partial<Times>
}

/** Creates ingest on the database that all test files share, with topics of its own, which do not exist yet. */
export const createTestIngest = (name: string, options: Options = {}) => createIngestOn(sharedDatabase(), name, options)

/** As `createTestIngest`, on a database that is empty and that no other file uses meanwhile. */
export const createEmptyIngest = (name: string, options: Options = {}) =>
  createIngestOn(emptiedDatabase(), name, options)

/** As `createTestIngest`, on a database that does not exist yet. */
export const createNewIngest = (name: string, options: Options = {}) =>
  createIngestOn(newDatabase(`herald-test-ingest-${name}-${process.pid}`), name, options)

async function createIngestOn(place: TestDatabase, name: string, { environment = {}, times = {} }: Options) {
  const issuer = await createTokenIssuer()
  const uri = environment.MONGODB_URI ?? process.env.MONGODB_URI ?? ''
  const suffix = `${name}-${process.pid}`
  const { name: database } = place
  const topics = topicsWithSuffix(suffix)
  const brokers = (process.env.KAFKA_BROKERS ?? '').split(',')
  const loaded = loadSettings(ingestSettingsSchema, {
    MONGODB_URI: uri,
    MONGODB_DATABASE: database,
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_GROUP_ID: `herald-ingest-${suffix}`,
    KAFKA_MENTION_TOPIC: topics.mention,
    KAFKA_CHANGE_TOPIC: topics.change,
    KAFKA_RECEIPT_TOPIC: topics.receipt,
    KAFKA_PRIVACY_TOPIC: topics.privacy,
    KAFKA_DEAD_LETTER_TOPIC: topics.deadLetter,
    ...issuer.settings,
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...environment,
  })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues))
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const logger = createLogger({ name: 'test', level: 'warn', destination })
  const releasers = createReleasers(logger)
  const { http, admin, events, start } = createIngest(
    { settings: loaded.settings, logger, releasers },
    { ...quickTimes, ...times },
  )
  const store = createStore({ uri, database, applicationName: 'test' })
  let listening: Promise<string> | undefined

  return {
    admin,
    http,
    brokers,
    events,
    /** Starts the consumer and the relays. */
    start,
    store,
    migrate: () => place.migrate(uri, store.migrate),
    topics,
    database,
    groupId: loaded.settings.KAFKA_GROUP_ID,
    /** How many warnings and errors contain this message. */
    logged: (message: string) => lines.filter((line) => line.includes(message)).length,
    /** The sum of a metric's values that have these labels, as `label="value"`. */
    async metric(name: string, ...labels: readonly string[]): Promise<number> {
      const all = (await admin.app.inject('/metrics')).body.split('\n')
      const found = all.filter(
        (line) =>
          line.startsWith(name) &&
          /^[ {]/.test(line.slice(name.length)) &&
          labels.every((label) => line.includes(label)),
      )
      return found.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
    /** Creates a user of a new subscriber with every scope; `claims` overrides the defaults. */
    async newUser(claims: Record<string, string> = {}) {
      const { id = randomUUID(), subscriberId = randomUUID(), ...others } = claims
      const authorization = `Bearer ${await issuer.sign({ sub: id, subscriber_id: subscriberId, ...others })}`
      return {
        id,
        subscriberId,
        authorization,
        /** Uses a socket: only there do raw headers show a repeated header. */
        async post(body: unknown, ...idempotencyKeys: readonly string[]) {
          const headers = { authorization, 'content-type': 'application/json' }
          listening ??= http.listen({ host: '127.0.0.1', port: 0 })
          const asked = request(await listening, { method: 'POST', headers })
          if (idempotencyKeys.length > 0) asked.setHeader('idempotency-key', idempotencyKeys)
          asked.end(JSON.stringify(body))
          const [answer] = (await once(asked, 'response')) as [IncomingMessage]
          const received = await text(answer)
          return { status: answer.statusCode, headers: answer.headers, body: received, json: JSON.parse(received) }
        },
      }
    },
    async stop() {
      await http.close()
      await admin.app.close()
      await releasers.releaseAll()
      await store.close()
      await place.leave(uri)
    },
  }
}

export type TestIngest = Awaited<ReturnType<typeof createTestIngest>>
