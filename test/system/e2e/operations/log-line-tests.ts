import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import type { Message } from 'kafkajs'
import { operations } from '../support/api-operations.ts'
import { createBody, metadata } from '../support/create-body.ts'
import { originIn, readDeadLetters } from '../support/dead-letters.ts'
import { openEventStream } from '../support/event-stream.ts'
import { binary, change, mention, receipt, structured } from '../support/events.ts'
import { send } from '../support/http-client.ts'
import { createInvalidTokens } from '../support/invalid-tokens.ts'
import type { OwnHerald } from '../support/own-herald.ts'
import { poisonFor } from '../support/poison-records.ts'
import type { Notification } from '../support/spec-shapes.ts'
import { countStored } from '../support/stored.ts'

/** Everything that must never be in a log, each as a unique word. */
const secrets = [
  ...['snippet', 'mentioner', 'add', 'edit', 'before', 'after', 'title', 'email', 'actor', 'image', 'user-name'],
  ...['token-name', 'token-picture', 'query', 'header', 'key', 'cookie', 'path', 'unknown-field', 'poison'],
] as const
const word = Object.fromEntries(secrets.map((name) => [name, `${name}-${randomUUID().slice(0, 13)}-sentinel`])) as {
  [Name in (typeof secrets)[number]]: string
}

const content = metadata({ snippet: word.snippet, mentionerName: word.mentioner })
const filled = { ...content, add: { [word.add]: word.add }, edit: { edit: [word.edit] } }
const tokens: string[] = []

async function requestEverything(herald: OwnHerald) {
  const claims = { name: word['token-name'], picture: word['token-picture'] }
  const user = await herald.newUser({ ...claims, scope: 'notifications:create change-entries:read' })
  const body = createBody([user.id], { metadata: filled })
  const created = await user.post('/', body, { 'idempotency-key': word.key })
  expect(created.status).toBe(201)
  const { id } = (created.json as { data: Notification }).data

  const headers = { 'x-header': word.header, cookie: `session=${word.cookie}`, 'if-none-match': `"${word.header}"` }
  for (const { method, path, json, public: isPublic } of operations.filter(({ path }) => !path.endsWith('/stream'))) {
    const own = path.replace(/[0-9a-f-]{36}/, id)
    // Success, not found, and rejection for the query, the path, the method, the body or the token.
    await user.send(own, { method, json: json && body, headers })
    await user.send(path, { method, json, headers })
    await user.send(`${own}?${word.query}=${word.query}&token=${user.token}&createdFrom=${word.query}`, {
      method,
      json,
    })
    await user.send(`${own}/${word.path}`, { method, headers })
    await user.send(own, { method: 'DELETE', headers })
    if (json) await user.send(path, { method, json: { ...json, [word['unknown-field']]: word['unknown-field'] } })
    if (json)
      await user.send(path, { method, raw: `{"x":"${word.snippet}`, headers: { 'content-type': 'application/json' } })
    if (!isPublic) await send(`${herald.baseUrl}${path}`, { method, json, token: `${user.token}x` })
  }
  const again = { ...body, locationType: 'file' }
  await user.post('/', again, { 'idempotency-key': word.key })
  await user.post('/', { ...body, metadata: { ...filled, mention: { ...filled.mention, snippet: 7 } } })
  await eventually(async () => (await user.get('/')).status === 429, { every: 0 })
  tokens.push(user.token)

  const follower = await herald.newUser({ ...claims, id: user.id, subscriberId: user.subscriberId })
  const other = await herald.newUser({ ...claims })
  tokens.push(follower.token, other.token)
  const stream = await openEventStream(herald.baseUrl, other.token, word.header)
  await stream.until('reset')
  await other.post('/', createBody([other.id], { metadata: filled }))
  await stream.until('notification')
  await stream.close()

  for (const { make } of createInvalidTokens(() => herald.tokens)) {
    const token = await make()
    if (token === undefined || token.length < 20) continue
    tokens.push(token)
    for (const path of ['/', `/?access_token=${token}`]) await send(`${herald.baseUrl}${path}`, { token })
    await send(`${herald.baseUrl}/`, { method: 'POST', json: body, token })
  }
  await send(`${herald.baseUrl}/`, { headers: { authorization: `Basic ${word.header}` } })
}

async function publishEverything(herald: OwnHerald) {
  const subscriberid = randomUUID()
  const recipientId = randomUUID()
  const actor = { id: randomUUID(), name: word.actor, image: `https://${word.image}.example/` }
  const events = [
    mention([recipientId], { subscriberid }, { actor, metadata: filled }),
    mention([recipientId], { subscriberid }, { actor, metadata: filled }),
  ]
  const changes = [
    change(
      { subscriberid },
      {
        user: { id: randomUUID(), name: word['user-name'], email: `${word.email}@mail.example` },
        entityTitle: word.title,
        beforeState: { [word.before]: word.before },
        afterState: word.after,
      },
    ),
  ]
  await herald.publish(herald.topics.mention, [structured(events[0] as never), binary(events[1] as never)])
  await herald.publish(herald.topics.change, changes.map(structured))
  const waiting = { notificationId: randomUUID(), recipientId }
  await herald.publish(herald.topics.receipt, [structured(receipt('herald.email.sent.v1', { subscriberid }, waiting))])

  // Records with one invalid field and secrets in the others, and records that are invalid as a whole.
  const bad = [
    mention([word.poison], { subscriberid }, { actor, metadata: { ...filled, mention: word.snippet } }),
    mention([recipientId], { subscriberid, type: word.poison }, { actor, metadata: filled }),
    mention([recipientId], { subscriberid, source: word.poison, specversion: word.poison }, { actor }),
  ].map(structured)
  const broken: Message[] = poisonFor(subscriberid).map(({ message }) => ({
    ...message,
    headers: { ...message.headers, 'x-secret': word.poison },
  }))
  const truncated = `{"snippet":"${word.snippet}","email":"${word.email}"`
  broken.push({ key: word.poison, value: truncated, headers: { 'content-type': 'application/cloudevents+json' } })
  // One by one: some are as large as a produce request may be.
  const origins: string[] = []
  for (const message of [...bad, ...broken]) {
    origins.push(originIn(await herald.publish(herald.topics.mention, [message])))
  }
  const badChanges = changes.map((event) => structured({ ...event, data: { ...event.data, user: word.email } }))
  origins.push(originIn(await herald.publish(herald.topics.change, badChanges)))
  await eventually(async () => (await countStored(herald.database, subscriberid)) >= 3)
  await readDeadLetters(herald.brokers, herald.topics.deadLetter, origins)
}

export function describeLogLines(herald: () => OwnHerald): void {
  test('no log line at any level has a token or user content, for any request or record', async () => {
    const { ingest, query } = herald()
    const written = [ingest, query].map((service) => {
      const lines = service.logs()
      service.onLine((line) => lines.push(line))
      return lines
    })
    await requestEverything(herald())
    await publishEverything(herald())
    const phrases = [
      ['Request completed', 'Record processed', 'Record sent to the dead-letter topic'],
      ['Request completed'],
    ]
    for (const [n, lines] of written.entries()) {
      // The requests and records must have been logged, or this would prove nothing.
      for (const phrase of phrases[n] ?? []) expect(lines.some((line) => line.includes(phrase))).toBe(true)
      const text = lines.join('\n')
      expect(Object.values(word).filter((secret) => text.includes(secret))).toEqual([])
      // Neither a whole token nor its claims or signature.
      const parts = tokens.flatMap((token) => token.split('.').slice(1)).filter((part) => part.length > 20)
      expect(parts.filter((part) => text.includes(part))).toEqual([])
    }
  }, 120_000)
}
