import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { findJava, findMavenJars, startProgram } from '@herald/test-servers'
import type { Contestant, DrainOptions } from './contestant.ts'

const kafkaVersion = '4.1.0'
const connectorVersion = '2.0.1'

// One line at the start, and errors.
const logging = `status = error
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{ISO8601} %p %m (%c)%n
rootLogger.level = error
rootLogger.appenderRef.out.ref = out
logger.connect.name = org.apache.kafka.connect.runtime.Connect
logger.connect.level = info
`

/**
 * MongoDB's Kafka sink connector in standalone Kafka Connect, made idempotent by the event's id, which is the `_id` of an
 * ordinary collection without further indexes. Settings as its documentation recommends for throughput: strings instead of
 * Connect's own structures, unordered bulk writes of a whole poll, large fetches, one task for each two partitions (more tasks
 * than cores were slower).
 *
 * Inserts whose errors are tolerated are its cheapest way to write an event once: upserts (`ReplaceOneDefaultStrategy`) take
 * four times the CPU time of MongoDB. The price is that it skips not only duplicates but every document that MongoDB rejects, and
 * documents of which the write concern was not met, and reports nothing unless `errors.log.enable` is set. With `all` instead
 * of `data` it would skip events while MongoDB is unavailable, too. Herald loses none of them.
 */
export async function startConnector(options: DrainOptions): Promise<Contestant> {
  const findOptions = { environment: process.env, log: console.error }
  const java = await findJava(findOptions)
  const jars = await findMavenJars(
    java,
    {
      name: `mongo-kafka-connect-${connectorVersion}`,
      artifacts: [
        `org.apache.kafka:connect-runtime:${kafkaVersion}`,
        `org.apache.kafka:connect-json:${kafkaVersion}`,
        `org.mongodb.kafka:mongo-kafka-connect:${connectorVersion}`,
        'org.mongodb:mongodb-driver-sync:5.5.1',
        'org.apache.avro:avro:1.12.0',
        'org.apache.logging.log4j:log4j-slf4j-impl:2.24.3',
      ],
      files: { 'log4j2.properties': logging },
    },
    findOptions,
  )
  const collection = await options.database.createCollection('events')
  const folder = await mkdtemp(join(tmpdir(), 'herald-connect-'))
  const worker = join(folder, 'worker.properties')
  const sink = join(folder, 'sink.properties')
  const program = await startProgram({
    name: 'Kafka Connect',
    command: java,
    args: [
      // As Kafka's own start script.
      ...['-Xms256M', '-Xmx2G'],
      `-Dlog4j2.configurationFile=${join(jars, 'log4j2.properties')}`,
      '-cp',
      join(jars, 'jars', '*'),
      'org.apache.kafka.connect.cli.ConnectStandalone',
      worker,
      sink,
    ],
    environment: process.env,
    folder,
    async prepare() {
      await writeFile(worker, lines(workerSettings(options, folder)))
      await writeFile(sink, lines(sinkSettings(options, collection.collectionName)))
    },
    ready: { line: /Kafka Connect started/ },
  })
  return { pids: [program.pid], collection, stop: program.stop }
}

const lines = (settings: Record<string, string>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')

const workerSettings = ({ brokers }: DrainOptions, folder: string) => ({
  'bootstrap.servers': brokers.join(','),
  'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
  'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
  'offset.storage.file.filename': join(folder, 'offsets'),
  'plugin.discovery': 'only_scan',
  'consumer.max.poll.records': '5000',
  'consumer.fetch.min.bytes': '1048576',
  'consumer.fetch.max.wait.ms': '100',
  'consumer.fetch.max.bytes': '104857600',
  'consumer.max.partition.fetch.bytes': '10485760',
  'consumer.auto.offset.reset': 'earliest',
  listeners: 'http://127.0.0.1:0',
})

const sinkSettings = ({ groupId, topics, topic, mongodbUri, database }: DrainOptions, collection: string) => ({
  name: groupId,
  'connector.class': 'com.mongodb.kafka.connect.MongoSinkConnector',
  'tasks.max': '2',
  topics: topics[topic],
  'connection.uri': `${mongodbUri}${mongodbUri.includes('?') ? '&' : '?'}w=majority&journal=true`,
  database: database.databaseName,
  collection,
  'document.id.strategy': 'com.mongodb.kafka.connect.sink.processor.id.strategy.PartialValueStrategy',
  'document.id.strategy.partial.value.projection.list': 'id',
  'document.id.strategy.partial.value.projection.type': 'AllowList',
  'writemodel.strategy': 'com.mongodb.kafka.connect.sink.writemodel.strategy.InsertOneDefaultStrategy',
  'mongo.errors.tolerance': 'data',
  'bulk.write.ordered': 'false',
})
