import { randomUUID } from 'node:crypto'
import { createSealing, startHerald } from '@herald/local-herald'
import { createTopics, eventually, topicsWithSuffix } from '@herald/test-servers'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { MongoClient } from 'mongodb'
import type { Case } from './sealed-log.ts'

const { KAFKA_BROKERS = '', MONGODB_URI = '' } = process.env

type Line = { readonly leafIndex: number; readonly leafHash: string; readonly entry?: { readonly id: string } }
type Proof = Case & { readonly leafIndex: number; readonly leafHash: string; readonly hashes: readonly string[] }

/** Every leaf, some proofs, and a checkpoint of a log that a running service has sealed, with an erasure in it. */
export async function readLiveLog(): Promise<Case[]> {
  const servers = { kafkaBrokers: KAFKA_BROKERS.split(','), mongodbUri: MONGODB_URI }
  const database = `languages-sealed-${randomUUID().slice(0, 8)}`
  const topics = await createTopics(servers.kafkaBrokers, topicsWithSuffix(database))
  const environment = { KAFKA_GROUP_ID: database, RATE_LIMIT_PER_MINUTE: '100000' }
  const herald = await startHerald({ servers, topics, database, environment, sealing: createSealing() })
  const kafka = new Kafka({ brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  const [subscriberId, personId] = [randomUUID(), randomUUID()]
  const token = await herald.tokens.sign({ subscriber_id: subscriberId, scope: 'change-entries:read' })
  const get = async (path: string) => {
    const answer = await fetch(herald.baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
    if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`)
    return answer
  }
  const data = async (path: string) => ((await (await get(path)).json()) as { data: unknown }).data
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
  const changes = (count: number) =>
    publish(
      topics.change,
      'herald.change.recorded.v1',
      Array.from({ length: count }, (_, n) => change(n)),
    )
  const untilSealed = (size: number) =>
    eventually(
      async () => {
        const checkpoint = await (await get('/change-entries/checkpoint')).text()
        return Number(checkpoint.split('\n')[1]) >= size && checkpoint
      },
      { description: `${size} leaves are sealed`, within: 60_000 },
    )

  try {
    await producer.connect()
    await changes(300)
    const earlier = checkpointIn(await untilSealed(300))
    await changes(400)
    await untilSealed(700)
    await publish(topics.privacy, 'herald.person.erased.v1', [{ personId }])
    const last = await untilSealed(701)
    const { origin, size, root } = checkpointIn(last)
    const { keys } = (await data('/change-entries/checkpoint/key')) as { keys: string[] }
    const exported = (await (await get('/change-entries/sealed')).text()).trim().split('\n')
    const lines = exported.slice(1).map((line): Line => JSON.parse(line))
    const { hashes } = (await data(`/change-entries/checkpoint/consistency?from=${earlier.size}`)) as Proof
    const inclusions = lines
      .filter(({ entry, leafIndex }) => entry && leafIndex % 64 === 0)
      .map(async ({ entry }): Promise<Case> => {
        const proof = (await data(`/change-entries/${entry?.id}/proof`)) as Proof
        return { ...proof, kind: 'inclusion', index: proof.leafIndex, size, root }
      })
    return [
      { kind: 'checkpoint', verifierKey: keys[0], origin, note: last, size, root },
      { kind: 'consistency', from: earlier.size, to: size, fromRoot: earlier.root, toRoot: root, hashes },
      ...(await Promise.all(inclusions)),
      ...lines.map((line): Case => ({ kind: 'line', line })),
    ]
  } finally {
    await producer.disconnect()
    await herald.stop()
    const client = await MongoClient.connect(MONGODB_URI)
    await client.db(database).dropDatabase()
    await client.close()
  }
}

function checkpointIn(note: string) {
  const [origin = '', size = '', root = ''] = note.split('\n')
  return { origin, size: Number(size), root }
}
