import { findKcat, type Kcat } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { startTestHerald, type TestHerald, until } from './herald.ts'
import { succeed } from './run.ts'

type Example = { headers: Record<string, string>; payload: Record<string, unknown> }
type Documented = {
  channels: Record<string, { address: string; messages: Record<string, { $ref: string }> }>
  components: { messages: Record<string, { contentType: string; examples?: Example[] }> }
}

// Uses an independent Kafka client; skipped without one.
const kcat = await findKcat()
const withKcat = kcat ? test : test.skip

/** Reads all examples of the served document in the content mode of `contentType`. */
async function readExamples({ baseUrl, topics }: TestHerald, contentType: string) {
  const { channels, components } = (await (await fetch(`${baseUrl}/asyncapi.json`)).json()) as Documented
  return (['mention', 'change', 'receipt'] as const).flatMap((kind) =>
    Object.keys(channels[kind]?.messages ?? {}).flatMap((name) => {
      const message = components.messages[name]
      if (message?.contentType !== contentType) return []
      return (message.examples ?? []).map((example) => ({ topic: topics[kind], name, ...example }))
    }),
  )
}

async function publish(
  { command, environment }: Kcat,
  { brokers }: TestHerald,
  { topic, headers, payload }: { topic: string } & Example,
) {
  const key = String(headers.ce_subscriberid ?? payload.subscriberid)
  const named = Object.entries(headers).flatMap(([header, value]) => ['-H', `${header}=${value}`])
  await succeed(command, ['-P', '-b', brokers.join(','), '-t', topic, '-k', key, ...named], {
    folder: '.',
    environment: { ...process.env, ...environment },
    input: `${JSON.stringify(payload)}\n`,
  })
}

withKcat.each([
  ['structured', 'application/cloudevents+json'],
  ['binary', 'application/json'],
])('accepts every example of the AsyncAPI document, published by kcat in %s mode', async (mode, contentType) => {
  const herald = await startTestHerald(`examples-${mode}`)
  try {
    const examples = await readExamples(herald, contentType)
    expect(examples.map(({ name }) => name)).toEqual([
      ...['mention', 'retraction', 'editedOut', 'change', 'creation', 'emailSent', 'read'],
    ])
    for (const example of examples) await publish(kcat as Kcat, herald, example)

    const [mention] = examples
    const event = (mode === 'structured' ? mention?.payload : { data: mention?.payload }) as {
      data: { recipientIds: string[] }
    }
    const subscriberId = mention?.headers.ce_subscriberid ?? (mention?.payload.subscriberid as string)
    const token = await herald.tokens.sign({ sub: event.data.recipientIds[0], subscriber_id: subscriberId })
    const get = async (path: string) => {
      const answer = await fetch(`${herald.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })
      return ((await answer.json()) as { data: unknown }).data
    }
    // All examples: the mention with both receipts, and both changes. The retractions are of other mentions.
    await until(
      () => get('/') as Promise<{ notifications: { readAt: string | null; emailSentAt: string | null }[] }>,
      ({ notifications }) => notifications.length === 1 && !!notifications[0]?.readAt && !!notifications[0].emailSentAt,
    )
    await until(
      () => get('/change-entries/all') as Promise<unknown[]>,
      (log) => log.length === 2,
    )
    const metrics = await (await fetch(`${herald.ingest.adminUrl}/metrics`)).text()
    const deadLetters = [...metrics.matchAll(/^herald_dead_letters_total\{.*\} (.+)$/gm)].map(([, count]) => count)
    expect(new Set(deadLetters)).toEqual(new Set(['0']))
  } finally {
    await herald.stop()
  }
})
