import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createComposition } from './composition.ts'
import { root, whyNoDocker } from './docker.ts'
import { eventually } from './eventually.ts'
import { haveImage } from './images.ts'
import { renderFolder, runRenderedPods } from './rendered-pods.ts'

const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0
const why = whyNoDocker() ?? (hasKubectl ? undefined : 'kubectl, which renders the manifests, is not on the PATH')
if (why) console.warn(`Skipped the containers of overlays/local: ${why}.`)
const onDocker = why ? describe.skip : describe

onDocker('the containers of overlays/local, run as rendered', () => {
  let pods: Awaited<ReturnType<typeof runRenderedPods>>
  let baseUrl: string
  let headers: Record<string, string>
  const user = { sub: randomUUID(), subscriber_id: randomUUID() }

  beforeAll(async () => {
    for (const service of ['kafka', 'mongodb', 'gateway']) {
      if (!(await haveImage(service))) throw new Error(`The image of ${service} is unavailable`)
    }
    await (await createComposition()).build()
    const manifests = renderFolder(`${root}deploy/kustomize/overlays/local`)
    pods = await runRenderedPods(manifests)
    // The probe initiates the replica set.
    const mongodb = manifests.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'mongodb')
    const { command } = mongodb.spec.template.spec.containers[0].readinessProbe.exec
    await eventually('MongoDB is a primary', () => pods.exec('mongodb', command), 300_000)
    const issuer = await pods.address('token-issuer', 8081)
    const token = await eventually('the issuer responds', async () => {
      const answer = await fetch(`http://${issuer}/token`, { method: 'POST', body: JSON.stringify({ claims: user }) })
      return answer.text()
    })
    headers = { authorization: `Bearer ${token.trim()}` }
    baseUrl = `http://${await pods.address('gateway', 8080)}`
    for (const [name, port] of [
      ['herald-ingest', 9001],
      ['herald-query', 9002],
      ['herald-seal', 9003],
    ] as const) {
      const admin = await pods.address(name, port)
      await eventually(`${name} is ready`, async () => (await fetch(`http://${admin}/readyz`)).ok, 300_000)
    }
  }, 1_200_000)
  afterAll(async () => {
    await pods?.stop()
  })

  test('one base URL serves both services: a posted notification is listed', async () => {
    const metadata = { mention: { mentionerName: 'Ada', snippet: 'Hello', entityType: 'portfolio' } }
    const body = {
      type: 'mention',
      actorType: 'user',
      subjectId: user.sub,
      subjectType: 'user',
      locationId: user.sub,
      locationType: 'comment',
      metadata,
      recipientIds: [user.sub],
    }
    const json = { ...headers, 'content-type': 'application/json' }
    const posted = await fetch(`${baseUrl}/`, { method: 'POST', headers: json, body: JSON.stringify(body) })
    expect([posted.status, await posted.text()]).toEqual([201, expect.any(String)])
    const { data } = (await (await fetch(`${baseUrl}/`, { headers })).json()) as { data: { notifications: object[] } }
    expect(data.notifications).toMatchObject([{ metadata }])
  })

  test('exports a published change event', async () => {
    const event = {
      specversion: '1.0',
      type: 'herald.change.recorded.v1',
      id: randomUUID(),
      source: '/local',
      time: new Date().toISOString(),
      subscriberid: user.subscriber_id,
      data: {
        user: { id: user.sub, name: 'Ada', email: 'ada@example.com' },
        entityType: 'portfolio',
        entityId: 'p-1',
        entityTitle: 'Portfolio',
        actionType: 'update',
        changedField: 'title',
        beforeState: 'a',
        afterState: 'b',
      },
    }
    const line = `content-type:application/cloudevents+json\t${JSON.stringify(event)}`
    const producer = '/opt/kafka/bin/kafka-console-producer.sh --bootstrap-server kafka:9092 --topic change-events'
    await pods.exec('kafka', ['bash', '-c', `printf '%s\\n' "$0" | ${producer} --property parse.headers=true`, line])
    await eventually('the entry is exported', async () => {
      const answer = await fetch(`${baseUrl}/change-entries/all`, { headers })
      return (await answer.text()).includes('"entityTitle":"Portfolio"')
    })
  })
})
