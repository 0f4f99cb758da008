import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { workspaceRoot } from './workspace.ts'

/** The ways to wait for something that may never come. Everything else waits through one of these. */
const forms: Readonly<Record<string, RegExp>> = {
  'MongoDB client': /new MongoClient\(/g,
  'Kafka client': /new Kafka(Client)?\(/g,
  fetch: /(?<![.\w])fetch\(/g,
  promise: /new Promise\b|withResolvers/g,
  'pipeline of streams': /\bpipeline\(/g,
  'network or process': /^import \{.*\} from 'node:(net|tls|https?|http2|dns|child_process|dgram)/gm,
  'wait for an event': /^import \{.*\bonce\b.*\} from 'node:events'/gm,
}
/** A request of kafkajs may never settle. Each is listed by its name. */
const kafkaRequests =
  /\b(?:admin|producer|consumer)\.(?!on\(|seek\()\w+(?=\()|commitOffsetsIfNecessary(?=\()|payload\.heartbeat/g

/** Each place, with what limits its waits. */
const limits: Readonly<Record<string, string>> = {
  'packages/client/src/http.ts: fetch': 'the signal of a deadline',
  'packages/client/src/pause.ts: promise ×2': 'a pause ends by its timer; the signal of the caller',
  'packages/client/src/shared-stream.ts: promise': 'streamSilenceMs, 5 s until the tab that leads has answered',
  'packages/client/src/tab-lock.ts: promise ×2':
    'the signal of the stream: a lock is held as long as the stream is followed',
  'packages/runtime/src/auth/fetch-key-set.ts: fetch': 'jose’s signal, timeoutDuration',
  'packages/runtime/src/http/turns.ts: wait for an event': 'holds nothing, and ends with the connection',
  'packages/runtime/src/lifecycle/shutdown.ts: promise': 'one turn of the event loop',
  'packages/runtime/src/time/time-limit.ts: promise': 'is a limit',
  'packages/runtime/src/shares/budget.ts: promise': 'waitMs',
  'packages/mongo/src/connection/lasting-client.ts: MongoDB client': 'Limits, required by the type of its options',
  'packages/mongo/src/connection/patched-driver.ts: promise': 'the socket’s timeout, which closes the connection',
  'packages/change-log/src/recorded-order/change-queue.ts: promise ×4': 'each step of the sequencer has a deadline',
  'packages/mongo/src/reading/find-together.ts: promise': 'the limits of the command',
  'packages/mongo/src/change-streams/watch.ts: promise': 'raced against the first batch, which has socketTimeoutMS',
  'services/ingest/src/consume/event-consumer.ts: promise ×3': 'lasts as long as the member, whose liveness is checked',
  'services/ingest/src/consume/gathered-handler.ts: promise': 'the work of a chunk',
  'packages/kafka/src/client/create-kafka.ts: Kafka client': 'connectionTimeout, requestTimeout and retries',
  'packages/kafka/src/client/read-to-end.ts: promise': 'Ctrl-C of the operator; stalledAfterMs of the sealer',
  'packages/runtime/src/workers/leased-worker.ts: promise ×2': 'lasts until the worker stops; each step has a deadline',
  'services/query/src/change-entries/transfer.ts: pipeline of streams': 'readers that do not read are disconnected',
  'services/query/src/sealing/witness-client.ts: fetch': 'answerMs',
  'services/query/src/stream/client.ts: promise': 'drainMs',
  'services/query/src/stream/live-feed.ts: promise ×2': 'openMs',
  'services/query/src/verification/verify.ts: wait for an event': 'a command of a person, who ends it with Ctrl-C',
  ...ofKafka('admin.ts', 'the check’s limit, beginMs of the consumer, or sizeAskedMs; Ctrl-C of the operator', [
    'admin.connect, admin.describeConfigs, admin.describeGroups, admin.disconnect, admin.fetchTopicOffsets',
    'admin.fetchTopicOffsetsByTimestamp, admin.listTopics',
  ]),
  ...ofKafka('group-member.ts', 'beginMs of the consumer', ['consumer.connect, consumer.run, consumer.subscribe']),
  ...ofKafka('group-member.ts', 'closeMs of the consumer', ['consumer.disconnect']),
  ...ofKafka('group-member.ts', 'limitMs of the offset commits', ['consumer.commitOffsets']),
  ...ofKafka('partition-batch.ts', 'limitMs of the offset commits', ['commitOffsetsIfNecessary']),
  ...ofKafka('partition-batch.ts', 'limitMs of the batch runner', ['payload.heartbeat']),
  ...ofKafka('position-reader.ts', 'limitMs of the lag monitor; Ctrl-C of the operator', [
    'admin.connect, admin.disconnect, admin.fetchOffsets, admin.fetchTopicOffsets',
  ]),
  'packages/kafka/src/client/set-offsets.ts: promise': 'Ctrl-C of the operator',
  ...ofKafka('set-offsets.ts', 'Ctrl-C of the operator', [
    'consumer.commitOffsets, consumer.connect, consumer.disconnect, consumer.pause, consumer.run, consumer.subscribe',
  ]),
  ...ofKafka('producer.ts', 'timeoutMs of the topic producer; not awaited after an error', [
    'producer.connect, producer.disconnect ×2, producer.send',
  ]),
  ...ofKafka('read-to-end.ts', 'Ctrl-C of the operator; stalledAfterMs of the sealer', [
    'admin.connect, admin.deleteGroups, admin.disconnect, admin.fetchTopicOffsets',
    'consumer.connect, consumer.disconnect, consumer.run, consumer.subscribe',
  ]),
}

function ofKafka(file: string, limit: string, requests: readonly string[]) {
  const names = requests.flatMap((line) => line.split(', '))
  return Object.fromEntries(names.map((name) => [`packages/kafka/src/client/${file}: ${name}`, limit]))
}

const folders =
  '{services/*/{src,operator},packages/{contracts,runtime,sealed-log,change-log,feed,kafka,mongo,persons,store,publisher,client}/src}/**/*.ts'
const isProduct = (file: string) => !/\.(test|fixture)\.ts$/.test(file)
const comments = /\/\*[\s\S]*?\*\/|\/\/.*$/gm

/** Each form with the number of its places in the file, if there are several. */
function waitsIn(file: string): string[] {
  const code = readFileSync(join(workspaceRoot, file), 'utf8').replace(comments, '')
  const ofForms = Object.entries(forms).flatMap(([form, pattern]) => Array.from(code.matchAll(pattern), () => form))
  const requests = code.includes("from 'kafkajs'") ? Array.from(code.matchAll(kafkaRequests), ([name]) => name) : []
  const counts = Map.groupBy([...ofForms, ...requests], (name) => name)
  return Array.from(counts, ([name, { length }]) => `${file}: ${name}${length > 1 ? ` ×${length}` : ''}`)
}

test('every wait of the product has a known limit', () => {
  const found = globSync(folders, { cwd: workspaceRoot }).filter(isProduct).flatMap(waitsIn)
  // A new place needs a limit and an entry; an entry without its place goes.
  expect(found.sort()).toEqual(Object.keys(limits).sort())
})

test('the Kafka client limits connections, requests and retries', () => {
  const client = readFileSync(join(workspaceRoot, 'packages/kafka/src/client/create-kafka.ts'), 'utf8')
  for (const limit of [/connectionTimeout: \d/, /requestTimeout: \d/, /retries: \d/]) expect(client).toMatch(limit)
  expect(client).not.toContain('enforceRequestTimeout')
})
