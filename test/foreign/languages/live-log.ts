import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createSealing, type SealingSettings, startHerald } from '@herald/local-herald'
import { createTopics, eventually, runCommand, topicsWithSuffix } from '@herald/test-servers'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { MongoClient } from 'mongodb'
import type { Case } from './sealed-log.ts'

const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env
const command = fileURLToPath(new URL('../../../services/ingest/dist/operator/herald.js', import.meta.url))

type Line = { readonly leafIndex: number; readonly leafHash: string; readonly entry?: { readonly id: string } }
type Proof = Case & { readonly leafIndex: number; readonly leafHash: string; readonly hashes: readonly string[] }

export type LiveLog = Awaited<ReturnType<typeof startLiveLog>>

/** Starts Herald with a database and topics of its own, for the change log of one subscriber. */
export async function startLiveLog(sealing: SealingSettings) {
  const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
  const database = `languages-sealed-${randomUUID().slice(0, 8)}`
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(database))
  const environment = { KAFKA_GROUP_ID: database, RATE_LIMIT_PER_MINUTE: '100000' }
  const herald = await startHerald({ servers, topics, database, environment, sealing })
  const kafka = new Kafka({ brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const [subscriberId, personId] = [randomUUID(), randomUUID()]
  const token = await herald.tokens.sign({ subscriber_id: subscriberId, scope: 'change-entries:read' })
  const get = async (path: string, accept = '*/*') => {
    const answer = await fetch(herald.baseUrl + path, { headers: { authorization: `Bearer ${token}`, accept } })
    if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`)
    return answer
  }
  const publish = (topic: string, type: string, all: readonly object[]) =>
    producer.send({
      topic,
      acks: -1,
      messages: all.map((one) => ({
        key: subscriberId,
        headers: { 'content-type': 'application/cloudevents+json' },
        value: JSON.stringify({
          ...{ specversion: '1.0', type, source: '/live', id: randomUUID(), time: new Date() },
          ...{ subscriberid: subscriberId, data: one },
        }),
      })),
    })
  const change = (n: number) => ({
    user: { id: n % 3 === 0 ? personId : randomUUID(), name: 'Zoë “Z” 𝄞', email: '' },
    ...{ entityType: 'report', entityId: `r-${n % 7}`, entityTitle: 'Q3\u2028', actionType: 'update' },
    ...{ changedField: 'value', beforeState: { '€': n / 7, a: [null, '\u0007'] }, afterState: n % 5 ? n * 1e21 : null },
  })
  return {
    subscriberId,
    herald,
    get,
    text: async (path: string, accept?: string) => (await get(path, accept)).text(),
    data: async (path: string) => ((await (await get(path)).json()) as { data: unknown }).data,
    async change(count: number): Promise<void> {
      const changes = Array.from({ length: count }, (_, n) => change(n))
      await publish(topics.change, 'herald.change.recorded.v1', changes)
    },
    async erasePerson(): Promise<void> {
      await publish(topics.privacy, 'herald.person.erased.v1', [{ personId }])
    },
    untilSealed: (size: number) =>
      eventually(
        async () => {
          const checkpoint = await (await get('/change-entries/checkpoint')).text()
          return Number(checkpoint.split('\n')[1]) >= size && checkpoint
        },
        { description: `${size} leaves are sealed`, within: 120_000 },
      ),
    /** Runs the command of operators. Returns its output. */
    operate: (...words: readonly string[]) =>
      runCommand(process.execPath, [command, ...words], {
        environment: { ...process.env, MONGODB_DATABASE: database },
      }),
    async stop(): Promise<void> {
      await producer.disconnect()
      await herald.stop()
      const client = await MongoClient.connect(MONGODB_URI)
      await client.db(database).dropDatabase()
      await client.close()
    },
  }
}

/** Every leaf, some proofs, and a checkpoint of a log that a running service has sealed, with an erasure in it. */
export async function readLiveLog(): Promise<Case[]> {
  const log = await startLiveLog(createSealing())
  try {
    await log.change(300)
    const earlier = checkpointIn(await log.untilSealed(300))
    await log.change(400)
    await log.untilSealed(700)
    await log.erasePerson()
    const last = await log.untilSealed(701)
    const { origin, size, root } = checkpointIn(last)
    const { keys } = (await log.data('/change-entries/checkpoint/key')) as { keys: string[] }
    const exported = (await log.text('/change-entries/sealed')).trim().split('\n')
    const lines = exported.slice(1).map((line): Line => JSON.parse(line))
    const inclusions = lines
      .filter(({ entry, leafIndex }) => entry && leafIndex % 64 === 0)
      .map(async ({ entry }): Promise<Case> => {
        const proof = (await log.data(`/change-entries/${entry?.id}/proof`)) as Proof
        return { ...proof, kind: 'inclusion', index: proof.leafIndex, size, root }
      })
    return [
      { kind: 'checkpoint', verifierKey: keys[0], origin, note: last, size, root },
      await readConsistency(log, earlier, { size, root }),
      ...(await Promise.all(inclusions)),
      ...lines.map((line): Case => ({ kind: 'line', line })),
    ]
  } finally {
    await log.stop()
  }
}

type Sized = Pick<ReturnType<typeof checkpointIn>, 'size' | 'root'>

/** The claim that one checkpoint follows from an earlier one. */
export async function readConsistency({ data }: Pick<LiveLog, 'data'>, from: Sized, to: Sized): Promise<Case> {
  const path = `/change-entries/checkpoint/consistency?from=${from.size}&to=${to.size}`
  const { hashes } = (await data(path)) as Proof
  return { kind: 'consistency', from: from.size, to: to.size, fromRoot: from.root, toRoot: to.root, hashes }
}

export function checkpointIn(note: string) {
  const [origin = '', size = '', root = ''] = note.split('\n')
  return { origin, size: Number(size), root }
}
