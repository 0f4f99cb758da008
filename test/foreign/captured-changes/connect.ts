import { existsSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import {
  eventually,
  findJava,
  findMavenJars,
  type StartedProgram,
  startProgram,
  whyNoServerPrograms,
} from '@herald/test-servers'

const connectVersion = '4.4.0'
/** The newest that can be had with their dependencies. */
const connectorVersions = {
  postgres: '3.7.0.Final',
  mariadb: '3.5.0.Final',
  mysql: '3.6.1.Final',
  mongodb: '3.6.1.Final',
} as const
const connectorClasses = {
  postgres: 'io.debezium.connector.postgresql.PostgresConnector',
  mariadb: 'io.debezium.connector.mariadb.MariaDbConnector',
  mysql: 'io.debezium.connector.mysql.MySqlConnector',
  mongodb: 'io.debezium.connector.mongodb.MongoDbConnector',
} as const

type ConnectorKind = keyof typeof connectorVersions
type Versions = { readonly connect?: string; readonly connector?: string }
export type Settings = Readonly<Record<string, string | number>>

const findOptions = { environment: process.env, log: console.error }

/** The converter without settings: it writes schemas, and the default of a column in place of NULL. */
export const defaultJson: Settings = {
  'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
}
/** Writes a schema into each key and value. Connect ignores the settings of a converter that the connector does not name. */
export const jsonWithSchemas: Settings = {
  ...defaultJson,
  'key.converter.decimal.format': 'NUMERIC',
  'key.converter.replace.null.with.default': 'false',
  'value.converter.decimal.format': 'NUMERIC',
  'value.converter.replace.null.with.default': 'false',
}
/** Plain JSON, with the settings of the guide. */
const plainJson: Settings = {
  ...jsonWithSchemas,
  'key.converter.schemas.enable': 'false',
  'value.converter.schemas.enable': 'false',
}
export const cloudEvents: Settings = {
  'value.converter': 'io.debezium.converters.CloudEventsConverter',
  'value.converter.serializer.type': 'json',
  'value.converter.data.serializer.type': 'json',
  'value.converter.json.schemas.enable': 'false',
  'value.converter.json.replace.null.with.default': 'false',
}

/** The settings of a connector of the database `shop`, without its slot, publication and tables. */
export const postgresSettings = (port: number): Settings => ({
  'plugin.name': 'pgoutput',
  'database.hostname': '127.0.0.1',
  'database.port': port,
  'database.dbname': 'shop',
  'database.user': 'postgres',
  'database.password': 'none',
  'publication.autocreate.mode': 'filtered',
})

/** Returns why Kafka Connect cannot run here, or undefined: it needs what Kafka needs. */
export const whyNoConnect = () => whyNoServerPrograms()

export type ConnectOptions = {
  readonly kind: ConnectorKind
  readonly brokers: readonly string[]
  /** Settings of connectors by `topic.prefix`. */
  readonly connectors: Readonly<Record<string, Settings>>
  /** Other versions, of Connect and of the connector. */
  readonly versions?: Versions
}

export type StartedConnect = StartedProgram & {
  /** Waits for the first flush after a change. A connector that is killed before begins again with a snapshot. */
  untilOffsetsAreFlushed(): Promise<void>
}

/**
 * Runs Kafka Connect with some of Debezium's connectors, and waits until their snapshots are complete. A restart continues at
 * the offsets that were last flushed.
 */
export async function startConnect({ kind, brokers, connectors, versions }: ConnectOptions): Promise<StartedConnect> {
  const { java, args, plugin } = await findConnect(kind, versions)
  const folder = await mkdtemp(join(tmpdir(), 'herald-connect-'))
  const fileOf = (name: string) => join(folder, `${name}.properties`)
  const prefixes = Object.keys(connectors)
  const program = await startProgram({
    name: 'Kafka Connect',
    command: java,
    args: [...args, 'org.apache.kafka.connect.cli.ConnectStandalone', fileOf('worker'), ...prefixes.map(fileOf)],
    environment: process.env,
    folder,
    async prepare() {
      await writeFile(fileOf('worker'), toLines(workerSettings(brokers, plugin, folder)))
      for (const [prefix, settings] of Object.entries(connectors)) {
        const all = { ...connectorSettings(kind, prefix), ...settings }
        await writeFile(fileOf(prefix), toLines(all))
      }
    },
    ready: { line: /Kafka Connect started/ },
  })
  await untilSnapshotsAreComplete(program, prefixes.length)
  const untilOffsetsAreFlushed = async () => {
    await eventually(() => existsSync(join(folder, 'offsets')), { within: 60_000, description: 'offsets are flushed' })
  }
  return Object.assign(program, { untilOffsetsAreFlushed })
}

/** Finds the jars of Connect and of a connector, or fetches them with Maven. */
async function findConnect(
  kind: ConnectorKind,
  { connect = connectVersion, connector: connectorVersion = connectorVersions[kind] }: Versions = {},
) {
  const java = await findJava(findOptions)
  const jars = await findMavenJars(
    java,
    {
      name: `kafka-connect-${connect}`,
      artifacts: [
        `org.apache.kafka:connect-runtime:${connect}`,
        `org.apache.kafka:connect-json:${connect}`,
        'org.slf4j:slf4j-simple:1.7.36',
      ],
    },
    findOptions,
  )
  const connector = `debezium-connector-${kind}`
  const plugin = await findMavenJars(
    java,
    { name: `${connector}-${connectorVersion}`, artifacts: [`io.debezium:${connector}:${connectorVersion}`] },
    findOptions,
  )
  const options = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
  return { java, args: [...options, '-cp', join(jars, 'jars', '*')], plugin }
}

export type WorkerOptions = {
  readonly kind: ConnectorKind
  /** The version of Connect. */
  readonly version: string
  /** A file of settings, of which `plugin.path` and those in `overrides` are replaced. */
  readonly file: string
  readonly overrides: Settings
  readonly environment: NodeJS.ProcessEnv
  /** Responds once the worker is ready. */
  readonly url: string
}

/** Runs a distributed worker with the settings of a file. Connectors are created over HTTP. */
export async function startWorker({ kind, version, file, overrides, environment, url }: WorkerOptions) {
  const { java, args, plugin } = await findConnect(kind, { connect: version })
  const folder = await mkdtemp(join(tmpdir(), 'herald-connect-'))
  const worker = join(folder, 'worker.properties')
  return startProgram({
    name: 'Kafka Connect',
    command: java,
    folder,
    args: [...args, 'org.apache.kafka.connect.cli.ConnectDistributed', worker],
    environment: { ...process.env, ...environment },
    async prepare() {
      const replaced = { ...overrides, 'plugin.path': plugin }
      const isReplaced = (line: string) => Object.keys(replaced).some((name) => line.startsWith(`${name}=`))
      const kept = (await readFile(file, 'utf8')).split('\n').filter((line) => !isReplaced(line))
      await writeFile(worker, [...kept, toLines(replaced)].join('\n'))
    },
    ready: { url },
  })
}

const toLines = (settings: Settings) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')

const workerSettings = (brokers: readonly string[], plugin: string, folder: string): Settings => ({
  'bootstrap.servers': brokers.join(','),
  'plugin.path': plugin,
  'plugin.discovery': 'hybrid_warn',
  'offset.storage.file.filename': join(folder, 'offsets'),
  'offset.flush.interval.ms': 2_000,
  listeners: 'http://127.0.0.1:0',
  ...plainJson,
})

const connectorSettings = (kind: ConnectorKind, prefix: string): Settings => ({
  name: prefix,
  'connector.class': connectorClasses[kind],
  'tasks.max': 1,
  'topic.prefix': prefix,
  'skipped.operations': 'none',
  'topic.creation.default.replication.factor': -1,
  'topic.creation.default.partitions': 1,
})

/** Changes behind a snapshot are streamed from its position, even if streaming begins later. */
async function untilSnapshotsAreComplete(program: StartedProgram, count: number): Promise<void> {
  const isComplete = /Snapshot ended with SnapshotResult/
  let complete = program.logs().filter((line) => isComplete.test(line)).length
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new Error(`${complete} of ${count} snapshots are complete:\n${program.logs().slice(-30).join('\n')}`))
    }, 120_000)
    const check = () => {
      if (complete < count) return
      clearTimeout(late)
      resolve()
    }
    program.onLine((line) => {
      if (isComplete.test(line)) complete++
      check()
    })
    check()
  }).catch(async (error) => {
    await program.stop()
    throw error
  })
}
