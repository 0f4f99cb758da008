import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSealing, type StartedHerald, startHerald } from '@herald/local-herald'
import { startServers, topicsWithSuffix } from '@herald/test-servers'
import { Kafka, logLevel, Partitioners } from 'kafkajs'

export type Series = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** One scrape of both services' /metrics, with the labels that the ServiceMonitor adds. */
export type Scrape = { readonly names: ReadonlySet<string>; readonly series: readonly Series[] }

/** One witness, which is away. */
function writePolicy(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'herald-policy-')), 'policy')
  const key = 'witness.example+b3ae454f+BN5Vs56KbhHL8uLvUcFobGdKgJpZcJDUs0NKZBqws1CW'
  writeFileSync(file, `witness w ${key} http://127.0.0.1:9/\nquorum none\n`)
  return file
}

/** Runs ingest and query against real servers, with enough load to expose every series used by an alert. */
export async function startExposing() {
  const servers = await startServers()
  const suffix = `deploy-${process.pid}`
  const herald = await startHerald({
    servers,
    topics: topicsWithSuffix(suffix),
    database: `herald-${suffix}`,
    notificationTopic: `notification-events-${suffix}`,
    sealing: { ...createSealing(`log-checkpoints-${suffix}`), LOG_WITNESS_POLICY: writePolicy() },
  })
  const kafka = new Kafka({ brokers: servers.kafkaBrokers, logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const token = await herald.tokens.sign()
  for (const headers of [{ authorization: `Bearer ${token}` }, {}]) {
    for (const service of [herald.ingest, herald.query]) await fetch(`${service.url}/`, { headers })
  }

  return {
    herald,
    topics: herald.topics,
    scrape: () => scrape(herald),
    /** Publishes a record, whatever its value. */
    publish: (topic: 'mention' | 'change', value: string) =>
      producer.send({
        topic: herald.topics[topic],
        messages: [{ value, headers: { 'content-type': 'application/cloudevents+json' } }],
      }),
    async stop() {
      await producer.disconnect()
      await herald.stop()
      await servers.stop()
    },
  }
}

export const changeEvent = () =>
  JSON.stringify({
    specversion: '1.0',
    type: 'herald.change.recorded.v1',
    id: crypto.randomUUID(),
    source: '/deploy',
    time: new Date().toISOString(),
    subscriberid: crypto.randomUUID(),
    data: {
      user: { id: crypto.randomUUID(), name: 'Ada', email: 'ada@example.com' },
      entityType: 'portfolio',
      entityId: 'p-1',
      entityTitle: 'Portfolio',
      actionType: 'update',
      changedField: 'title',
      beforeState: 'a',
      afterState: 'b',
    },
  })

export const mentionEvent = (subscriberId: string, recipientId: string) =>
  JSON.stringify({
    specversion: '1.0',
    type: 'herald.mention.created.v1',
    id: crypto.randomUUID(),
    source: '/deploy',
    time: new Date().toISOString(),
    subscriberid: subscriberId,
    data: {
      actor: { id: crypto.randomUUID(), name: 'Ada', image: '' },
      actorType: 'user',
      subjectId: crypto.randomUUID(),
      subjectType: 'user',
      locationId: crypto.randomUUID(),
      locationType: 'comment',
      recipientIds: [recipientId],
      metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' }, add: {}, edit: {} },
    },
  })

async function scrape({ ingest, query, seal }: StartedHerald): Promise<Scrape> {
  const services = { 'herald-ingest': ingest, 'herald-query': query, 'herald-seal': seal }
  const texts = await Promise.all(
    Object.entries(services).map(async ([job, { adminUrl }]) => {
      const text = await (await fetch(`${adminUrl}/metrics`)).text()
      return { job, text }
    }),
  )
  return {
    names: new Set(
      texts.flatMap(({ text }) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name as string)),
    ),
    series: texts.flatMap(({ job, text }) => seriesIn(text, { job, instance: `${job}-0` })),
  }
}

function seriesIn(text: string, added: Record<string, string>): Series[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: {
      ...Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, of]) => [key, of])),
      ...added,
    },
    value: Number(value),
  }))
}
