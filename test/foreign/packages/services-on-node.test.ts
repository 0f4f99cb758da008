import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isFullRun } from '@herald/jest-preset/full-run'
import { type StartedHerald, serviceFile } from '@herald/local-herald'
import { createEvents, createPublisher } from '@herald/publisher'
import { beforeAll, expect, test } from '@jest/globals'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { startTestHerald, until } from './herald.ts'
import { fetchNode } from './node-packages.ts'
import { workspaceFolder } from './packed.ts'
import { run } from './run.ts'

const events = createEvents({ source: '/node-versions' })

/** Entry points of the services, with arguments. */
const programs = [
  ['ingest', 'main'],
  ['query', 'main'],
  ['ingest', 'migrate'],
  ['ingest', 'operator/herald', 'status'],
] as const

async function statusOf({ ingest, query }: Pick<StartedHerald, 'ingest' | 'query'>) {
  for (const service of [ingest, query]) service.kill('SIGTERM')
  return Promise.all([ingest.exited, query.exited])
}

let oldest: string
beforeAll(async () => {
  const { engines } = JSON.parse(await readFile(join(workspaceFolder, 'services/ingest/package.json'), 'utf8'))
  oldest = `${engines.node.replace('>=', '')}.0`
})

// The oldest supported version, the one in .nvmrc, and the newest. All other tests run on the second.
const versions = [['the oldest'], ['24'], ['26']] as const
test.each(isFullRun ? versions : versions.slice(0, 1))(
  'both services run on Node.js %s: events and requests appear in feed, change log and stream',
  async (name) => {
    const node = await fetchNode(name === 'the oldest' ? oldest : name)
    const herald = await startTestHerald(`node-${name.split(' ').at(-1)}`, {}, undefined, node)
    const kafka = new Kafka({ brokers: [...herald.brokers], logLevel: logLevel.NOTHING })
    const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
    const admin = kafka.admin()
    await Promise.all([producer.connect(), admin.connect()])
    try {
      const user = { sub: randomUUID(), subscriber_id: randomUUID() }
      const headers = { authorization: `Bearer ${await herald.tokens.sign(user)}` }
      const get = async (path: string) => (await (await fetch(`${herald.baseUrl}${path}`, { headers })).json()) as never
      const stream = await fetch(`${herald.baseUrl}/notifications/stream`, { headers })
      expect(stream.status).toBe(200)

      const identity = () => ({ id: randomUUID(), time: new Date(), subscriberId: user.subscriber_id })
      const body = {
        actorType: 'user' as const,
        subjectId: user.sub,
        subjectType: 'user' as const,
        locationId: randomUUID(),
        locationType: 'comment' as const,
        metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' } },
        recipientIds: [user.sub],
      }
      const change = {
        user: { id: randomUUID(), name: 'Ada', email: 'ada@example.com' },
        entityType: 'portfolio',
        entityId: 'p-1',
        entityTitle: 'Growth',
        actionType: 'update' as const,
        changedField: 'name',
        beforeState: 'a',
        afterState: 'b',
      }
      const actor = { id: randomUUID(), name: 'Ada', image: '' }
      const { publish } = createPublisher({ producer, topics: herald.topics })
      await publish(events.mentionCreated(identity(), { actor, ...body }), events.changeRecorded(identity(), change))
      const created = await fetch(`${herald.baseUrl}/`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'mention', ...body }),
      })
      expect(created.status).toBe(201)
      await until(
        () => get('/') as Promise<{ data: { notifications: unknown[] } }>,
        ({ data }) => data.notifications.length === 2,
      )
      await until(
        () => get('/change-entries/all') as Promise<{ data: unknown[] }>,
        ({ data }) => data.length === 1,
      )
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
      for (let seen = ''; !seen.includes('event: notification'); ) {
        const { value = '', done } = (await reader?.read()) ?? { done: true }
        expect(done).toBe(false)
        seen += value
      }
      await reader?.cancel()
      const topics = [herald.topics.mention, herald.topics.change]
      await until(
        () => admin.fetchOffsets({ groupId: herald.database, topics }),
        (seen) => seen.every(({ partitions }) => partitions.some(({ offset }) => offset === '1')),
      )
      expect(await statusOf(herald)).toEqual([
        { code: 0, signal: null },
        { code: 0, signal: null },
      ])
    } finally {
      await Promise.all([producer.disconnect(), admin.disconnect()])
      await herald.stop()
    }
  },
)

test.each(['20.19.6', '22.14.0'])(
  'on Node.js %s every program reports in one line that it is too old',
  async (version) => {
    const node = await fetchNode(version)
    for (const [service, file, ...args] of programs) {
      const entry = join(serviceFile(service, 'main'), '..', `${file}.js`)
      const { code, stdout, stderr } = await run(node, [entry, ...args], { folder: workspaceFolder })
      expect(code).toBeGreaterThan(0)
      const lines = (stdout + stderr).trim().split('\n')
      expect(lines).toEqual([expect.stringContaining(`Herald needs Node.js 22.15 or newer, and this is ${version}`)])
    }
  },
)

test('the bootstrap rejects a Node.js older than 20.19 in one line', async () => {
  const herald = join(workspaceFolder, 'packages/command/bin/herald.mjs')
  const ran = await run(await fetchNode('20.18.3'), [herald, 'start'], { folder: workspaceFolder })
  expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^Herald needs Node.js 20.19 .*\n$/) })
})
