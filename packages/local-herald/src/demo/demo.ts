import { randomUUID } from 'node:crypto'
import type { HeraldTopics } from '@herald/test-servers'
import type { TokenIssuer } from '@herald/token-issuer'
import { type FastifyRequest, fastify } from 'fastify'
import type { Mail } from '../mail/mailbox.ts'
import type { Publisher, SampleEvent } from '../samples/cloud-events.ts'
import { entities } from '../samples/sample-content.ts'
import type { SampleAccount, SamplePerson } from '../samples/samples.ts'
import type { Tampering } from '../tampering/tampering.ts'
import { createComments } from './comments.ts'
import { entityOf, eventsOfCreation, eventsOfDeletion } from './demo-events.ts'
import { demoFiles, readDemoFile } from './demo-folder.ts'

export type DemoOptions = {
  account: SampleAccount
  tokens: Pick<TokenIssuer, 'sign'>
  topics: HeraldTopics
  publisher: Pick<Publisher, 'publish'>
  mails: () => { mails: readonly Mail[]; problem: string | undefined }
  tampering: Tampering
}

const TOKEN_SECONDS = 15 * 60

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // The components contain their styles.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

const composedSchema = {
  type: 'object',
  required: ['as', 'to', 'text', 'entityId'],
  properties: {
    as: { type: 'string' },
    to: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string' } },
    text: { type: 'string', minLength: 1, maxLength: 500 },
    entityId: { type: 'string' },
  },
} as const

type Composed = { as: string; to: string[]; text: string; entityId: string }

/**
 * Serves the demo page, tokens for any of the sample users, routes that publish comments and their deletion, the mailbox, and
 * routes that tamper with the change log.
 * It only accepts requests from this machine, since it hands out tokens without authentication.
 */
export async function createDemo({ account, tokens, topics, publisher, mails, tampering }: DemoOptions) {
  const app = fastify()
  const users = account.people.filter(({ key }) => key !== undefined)
  const userOf = (key: unknown) => users.find((user) => user.key === key || user.id === key)
  const shownUser = (userId: string) => shown(account.people.find(({ id }) => id === userId) ?? unknownUser)
  const comments = createComments()
  const placed = (entity: (typeof entities)[number]) => ({ ...entity, locationId: account.places.get(entity.id) })

  async function publish(events: readonly SampleEvent[]) {
    const began = performance.now()
    const places = await publisher.publish(events)
    const milliseconds = Math.round(performance.now() - began)
    return {
      milliseconds,
      events: events.map(({ topic, event }) => {
        const place = places.find(({ topicName }) => topicName === topic)
        return { topic, type: event.type, id: event.id, partition: place?.partition, offset: place?.baseOffset }
      }),
    }
  }

  app.addHook('onRequest', async (request, reply) => {
    if (!isLocal(request)) return reply.code(403).send({ detail: 'The demo is only available on this machine' })
  })
  app.get('/demo', (_request, reply) => reply.redirect('/demo/'))
  for (const name of demoFiles) {
    app.get(`/demo/${name === 'index.html' ? '' : name}`, async (_request, reply) => {
      const { type, content } = await readDemoFile(name)
      return reply.type(type).headers({ 'content-security-policy': policy, 'cache-control': 'no-store' }).send(content)
    })
  }
  app.get<{ Querystring: { as?: string } }>('/demo/session', async ({ query }) => {
    const user = userOf(query.as) ?? userOf('mei')
    const { id, name = '', image = '' } = user ?? {}
    const token = await tokens.sign(
      { sub: id, name, picture: image, subscriber_id: account.subscriberId },
      { expiresIn: TOKEN_SECONDS },
    )
    return { token, expiresIn: TOKEN_SECONDS, as: user?.key, users: users.map(shown), entities: entities.map(placed) }
  })
  app.post<{ Body: Composed }>('/demo/mentions', { schema: { body: composedSchema } }, async ({ body }, reply) => {
    const author = userOf(body.as)
    const recipients = body.to.map(userOf)
    if (!author || recipients.includes(undefined)) return reply.code(400).send({ detail: 'Unknown user' })
    const { text, entityId } = body
    const now = new Date()
    const comment = { id: randomUUID(), author, recipients: recipients as SamplePerson[], text, entityId }
    const published = await publish(eventsOfCreation(comment, account, topics, now))
    comments.add({ ...comment, createdAt: now.toISOString() })
    return published
  })
  app.delete<{ Params: { id: string }; Querystring: { as?: string } }>(
    '/demo/comments/:id',
    async ({ params, query }, reply) => {
      const comment = comments.find(params.id)
      if (!comment) return reply.code(404).send({ detail: 'Unknown comment' })
      if (comment.author !== userOf(query.as)) return reply.code(403).send({ detail: 'Only its author can delete it' })
      const published = await publish(eventsOfDeletion(comment, account, topics, new Date()))
      comments.remove(comment.id)
      return published
    },
  )
  app.get('/demo/activity', (_request, reply) =>
    reply.header('cache-control', 'no-store').send({
      comments: comments.list().map(({ id, author, recipients, text, createdAt, ...rest }) => ({
        id,
        text,
        createdAt,
        entityTitle: entityOf(rest).title,
        author: shown(author),
        recipients: recipients.map(shown),
      })),
      mails: mails().mails.map(({ userId, ...mail }) => ({ ...mail, to: shownUser(userId) })),
      mailProblem: mails().problem ?? null,
      altered: tampering.altered() ?? null,
    }),
  )

  app.get('/demo/tampering', async () => ({ isSealed: await tampering.isSealed() }))
  app.post('/demo/tampering', async (_request, reply) => {
    const result = await tampering.alter()
    return result ?? reply.code(409).send({ detail: 'Nothing is sealed yet' })
  })
  app.delete('/demo/tampering', () => tampering.restore())

  await app.ready()
  return app.routing
}

const unknownUser = { id: '', key: undefined, name: 'Unknown', image: '' }

function shown({ id, key, name, image }: Pick<SamplePerson, 'id' | 'key' | 'name' | 'image'>) {
  return { id, key, name, image }
}

const localHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/

/** Rejects other origins, and other host names that resolve to this address (DNS rebinding). */
function isLocal({ headers, ip }: FastifyRequest): boolean {
  const isFromHere = ip === '127.0.0.1' || ip === '::1' || ip === '::ffff:127.0.0.1'
  const isOwnPage = headers.origin === undefined || headers.origin === `http://${headers.host}`
  return isFromHere && isOwnPage && localHost.test(headers.host ?? '')
}
