import { operations, traceparentOf } from '@herald/contracts'
import { createdBody } from '@herald/feed'
import {
  type Budget,
  type Clock,
  type Deadlines,
  type HttpServer,
  invalidRequest,
  problem,
  routeOptions,
} from '@herald/runtime'
import { creationBytesOf } from './budgets.ts'
import type { CreateNotificationUseCase } from './create-notification.ts'

export type RouteDependencies = {
  readonly create: CreateNotificationUseCase
  readonly clock: Clock
  /** The bytes of creations in flight. A request waits for its part. */
  readonly creations: Pick<Budget, 'within'>
  readonly storage: Pick<Budget, 'within'>
  readonly deadlines: Pick<Deadlines, 'keep'>
  readonly limitMs: number
}

export function addCreateNotificationRoute(app: HttpServer, dependencies: RouteDependencies): void {
  const { create, clock, creations, storage, deadlines, limitMs } = dependencies
  app.post('/', routeOptions(operations.createNotification), async ({ body, headers, identity, raw }, reply) => {
    const { subscriberId, userId, name, picture, actorType } = identity
    if (body.actorType !== actorType) {
      throw problem('actor_type_mismatch', `The actor type of the token is ${JSON.stringify(actorType)}`)
    }
    if (raw.rawHeaders.filter(isKeyName).length > 1) {
      throw invalidRequest([{ pointer: '/idempotency-key', detail: 'Must be sent only once' }])
    }
    const author = { subscriberId, actor: { id: userId, name, image: picture } }
    // One that does not end keeps its part, since the driver keeps its bytes until the process is restarted.
    const work = creations.within(identity, creationBytesOf(body), () =>
      storage.within(identity, 1, () =>
        create(body, author, headers['idempotency-key'], traceparentOf(raw.headers.traceparent)),
      ),
    )
    const outcome = await deadlines.keep('A request to create a notification', limitMs, work)
    if (outcome.kind === 'other-body') {
      throw problem('idempotency_key_reused', 'The first request with this Idempotency-Key had a different body')
    }
    if (outcome.kind === 'erased') {
      throw problem('request_erased', 'A person in the first request with this Idempotency-Key was erased')
    }
    if (outcome.kind === 'in-progress') {
      const seconds = Math.max(1, Math.ceil((outcome.until.getTime() - clock().getTime()) / 1_000))
      throw problem('request_in_progress', 'The first request with this Idempotency-Key has not finished', {
        headers: { 'retry-after': String(seconds) },
      })
    }
    return reply.code(201).type('application/json; charset=utf-8').send(createdBody(outcome.notification))
  })
}

/** Raw headers alternate names and values. The parsed ones join repeated headers, so they cannot be counted. */
const isKeyName = (text: string, index: number) => index % 2 === 0 && text.toLowerCase() === 'idempotency-key'
