import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type GuideStep, runGuide, type StartedHerald, startHerald } from '@herald/local-herald'
import {
  createTopics,
  findFreePort,
  type HeraldTopics,
  type StartedProgram,
  topicsWithSuffix,
} from '@herald/test-servers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test as run } from '@jest/globals'
import { Kafka, logLevel } from 'kafkajs'
import { MongoClient } from 'mongodb'
import { newPrefix } from './captured-herald.ts'
import { startWorker, whyNoConnect } from './connect.ts'
import { type StartedDatabase, startPostgres, whyNoPostgres } from './databases.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const path = 'services/ingest/guides/change-log-of-a-database.md'
const file = join(root, path)
const execute = promisify(execFile)

const why = (await whyNoConnect()) ?? whyNoPostgres()
if (why) console.warn(`Skipped the servers of ${path}: ${why}.`)
const whyNoCompose = await execute('docker', ['compose', 'version']).then(
  () => undefined,
  () => 'Docker Compose is not installed',
)
if (whyNoCompose) console.warn(`Skipped the Compose file of ${path}: ${whyNoCompose}.`)

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-guide-'))
  // Writes the files of the guide.
  await runGuide({ file, folder, environment: process.env, select: () => false })
})
afterEach(() => rm(folder, { recursive: true }))

const onCompose = whyNoCompose ? run.skip : run
onCompose('the Compose file of the guide extends that of Herald', async () => {
  await cp(join(root, 'docker-compose.yml'), join(folder, 'docker-compose.yml'))
  const [, composeFile] = /^export COMPOSE_FILE=(.*)$/m.exec(await readFile(file, 'utf8')) ?? []
  const { stdout } = await execute('docker', ['compose', 'config', '--format', 'json'], {
    cwd: folder,
    env: { ...process.env, COMPOSE_FILE: composeFile },
  })
  const { services } = JSON.parse(stdout)
  const mounted = (service: string, target: string) =>
    services[service].volumes.find((volume: { target: string }) => volume.target === target)?.source
  expect(mounted('ingest', services.ingest.environment.CDC_MAPPINGS)).toBe(join(folder, 'change-log/mappings.yaml'))
  expect(mounted('connect', services.connect.command.at(-1))).toBe(join(folder, 'change-log/worker.properties'))
  expect(services.ingest.depends_on).toMatchObject({
    migrate: { condition: 'service_completed_successfully' },
    'captured-topics': { condition: 'service_completed_successfully' },
  })
  expect(services.connect.image).toBe(services.kafka.image)
  for (const { ports = [] } of Object.values<{ ports?: { host_ip: string }[] }>(services)) {
    for (const { host_ip } of ports) expect(host_ip).toBe('127.0.0.1')
  }
})

const topic = 'shop.public.customer'
const prefix = newPrefix('guide')
const subscriberId = randomUUID()
const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
const brokers = KAFKA_BROKERS.split(',')
let database: StartedDatabase
let herald: StartedHerald
let connect: StartedProgram

beforeAll(async () => {
  if (why) return
  database = await startPostgres()
}, 120_000)

afterAll(async () => {
  await connect?.stop()
  await herald?.stop()
  await database?.stop()
  if (why) return
  const client = await MongoClient.connect(MONGODB_URI)
  await client.db(prefix).dropDatabase()
  await client.close()
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  const isOurs = (name: string) => name === topic || name === '__debezium-heartbeat.shop' || name.includes(prefix)
  await admin.deleteTopics({ topics: (await admin.listTopics()).filter(isOurs) })
  await admin.disconnect()
}, 60_000)

/** The settings with which libpq and the connector find the database. */
const settingsOf = ({ port }: StartedDatabase) => ({
  PGHOST: '127.0.0.1',
  PGPORT: String(port),
  PGDATABASE: 'shop',
  PGUSER: 'postgres',
  PGPASSWORD: 'none',
})

/** Starts what the Compose file starts, with its files, as programs of this machine. Returns the address of Connect. */
async function startServersOfGuide(): Promise<string> {
  const topics = topicsWithSuffix(prefix)
  await createTopics(brokers, { ...topics, captured: topic } as HeraldTopics)
  herald = await startHerald({
    servers: { kafkaBrokers: brokers, mongodbUri: MONGODB_URI },
    topics,
    database: prefix,
    environment: { CDC_MAPPINGS: join(folder, 'change-log/mappings.yaml'), KAFKA_GROUP_ID: prefix },
  })
  const url = `http://127.0.0.1:${await findFreePort()}`
  const [, version = ''] =
    /image: apache\/kafka:(\S+)/.exec(await readFile(join(folder, 'change-log/compose.yaml'), 'utf8')) ?? []
  connect = await startWorker({
    kind: 'postgres',
    version,
    url,
    file: join(folder, 'change-log/worker.properties'),
    overrides: {
      'bootstrap.servers': KAFKA_BROKERS,
      listeners: url,
      'group.id': `connect-${prefix}`,
      ...Object.fromEntries(
        ['config', 'offset', 'status'].map((kind) => [`${kind}.storage.topic`, `${kind}-${prefix}`]),
      ),
    },
    environment: settingsOf(database),
  })
  return url
}

const onServers = why ? run.skip : run
onServers(
  'the guide runs from its text, with the servers as programs in place of its Compose file',
  async () => {
    const CONNECT = await startServersOfGuide()
    const TOKEN = await herald.tokens.sign({ subscriber_id: subscriberId })
    const { PATH, HOME } = process.env
    const steps: GuideStep[] = await runGuide({
      file,
      folder,
      environment: {
        PATH,
        HOME,
        CONNECT,
        TOKEN,
        BASE: herald.baseUrl,
        SUBSCRIBER_ID: subscriberId,
        ...settingsOf(database),
      },
      select: (commands) => !commands.includes('docker compose'),
    }).catch((error) => {
      throw new Error(`${error.message}\nKafka Connect:\n${connect.logs().slice(-30).join('\n')}`)
    })
    expect(steps).toHaveLength(3)
    for (const { printed, expected } of steps) if (expected !== undefined) expect(printed).toContain(expected)
    expect(steps.filter(({ expected }) => expected !== undefined)).toHaveLength(2)

    const schema = await fetch(`${herald.baseUrl}/schemas/captured-changes.json`)
    expect([schema.status, ((await schema.json()) as { type: string }).type]).toEqual([200, 'object'])
    const mappings = await readFile(join(folder, 'change-log/mappings.yaml'), 'utf8')
    expect(mappings).toMatch(
      /^# yaml-language-server: \$schema=http:\/\/localhost:8080\/schemas\/captured-changes\.json$/m,
    )
  },
  400_000,
)
