import { randomUUID } from 'node:crypto'
import type { StoredChangeEntry } from '@herald/change-log'
import { formatTimestamp, makeUuidV7 } from '@herald/contracts'
import type { NewNotification } from '@herald/feed'
import { createLogger, createReleasers, loadSettings } from '@herald/runtime'
import { createStore } from '@herald/store'
import { createTokenIssuer } from '@herald/token-issuer'
import { MongoClient } from 'mongodb'
import { createQuery } from './app.ts'
import { querySettingsSchema } from './config.ts'

export type User = Awaited<ReturnType<Awaited<ReturnType<typeof createTestQuery>>['newUser']>>

/** The wired service with its own database, called without a socket. */
export async function createTestQuery(name: string, environment: Record<string, string> = {}) {
  const issuer = await createTokenIssuer()
  const uri = environment.MONGODB_URI ?? process.env.MONGODB_URI ?? ''
  const database = `herald-test-query-${name}-${process.pid}`
  const loaded = loadSettings(querySettingsSchema, {
    MONGODB_URI: uri,
    MONGODB_DATABASE: database,
    ...issuer.settings,
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...environment,
  })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues))
  const logger = createLogger({ name: 'test', level: 'silent' })
  const releasers = createReleasers(logger)
  const { http, admin } = createQuery({ settings: loaded.settings, logger, releasers })
  const store = createStore({ uri, database, applicationName: 'test' })

  const send = (
    method: 'GET' | 'PATCH' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    headers: Record<string, string>,
    payload?: string,
  ) => http.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })

  const requestJson = async (...parameters: Parameters<typeof send>) => {
    const { statusCode, headers, body } = await send(...parameters)
    return { status: statusCode, headers, body, json: body === '' ? undefined : JSON.parse(body) }
  }

  return {
    requestJson,
    admin,
    http,
    store,
    database,
    /** A user of a new subscriber with every scope, unless the claims differ. */
    async newUser(claims: { id?: string; subscriberId?: string; scope?: string } = {}) {
      const { id = randomUUID(), subscriberId = randomUUID(), ...others } = claims
      const authorization = `Bearer ${await issuer.sign({ sub: id, subscriber_id: subscriberId, ...others })}`
      return {
        id,
        subscriberId,
        authorization,
        get: (url: string) => requestJson('GET', url, { authorization }),
        patch: (url: string) => requestJson('PATCH', url, { authorization }),
        post: (url: string, body: unknown) =>
          requestJson('POST', url, { authorization, 'content-type': 'application/json' }, JSON.stringify(body)),
        put: (url: string, body: unknown) =>
          requestJson('PUT', url, { authorization, 'content-type': 'application/json' }, JSON.stringify(body)),
        delete: (url: string) => requestJson('DELETE', url, { authorization }),
        /** Without a body, unless there is one. */
        send: (method: 'POST' | 'PUT', url: string, headers: Record<string, string> = {}, payload?: string) =>
          requestJson(method, url, { authorization, ...headers }, payload),
        /** The raw response. */
        fetch: (url: string, headers: Record<string, string>) => send('GET', url, { authorization, ...headers }),
      }
    },
    async stop() {
      await http.close()
      await admin.app.close()
      await releasers.releaseAll()
      await store.close()
      // Other servers end with their test, or do not exist.
      if (environment.MONGODB_URI !== undefined) return
      const client = new MongoClient(uri)
      await client.db(database).dropDatabase()
      await client.close()
    },
  }
}

/** A notification in a response, as far as tests need it. */
export type ServedNotification = { readonly id: string; readonly readAt: string | null }

/** The page in the body of a response. */
export function pageIn(body: Buffer) {
  const { notifications, nextCursor } = JSON.parse(String(body)).data
  return { notifications: notifications as ServedNotification[], next: nextCursor as string | null }
}

/** A notification of this time for one recipient. */
export function notificationAt(
  time: string | number,
  to: Pick<User, 'id' | 'subscriberId'>,
  changes: Partial<NewNotification> = {},
): NewNotification {
  const createdAt = new Date(time)
  return {
    id: makeUuidV7(createdAt.getTime(), Buffer.from(randomUUID())),
    subscriberId: to.subscriberId,
    type: 'mention',
    actor: { id: randomUUID(), name: 'Ada', image: '' },
    actorType: 'user',
    subjectId: randomUUID(),
    subjectType: 'user',
    locationId: randomUUID(),
    locationType: 'comment',
    metadata: '{"mention":{"mentionerName":"Ada","snippet":"Look","entityType":"portfolio"},"add":{},"edit":{}}',
    createdAt,
    recipientIds: [to.id],
    ...changes,
  }
}

/** An entry as it is served (specification 2.5). */
export function changeEntryJson({ createdAt, beforeState, afterState, subscriberId: _, ...entry }: StoredChangeEntry) {
  const start = JSON.stringify({ ...entry, createdAt: formatTimestamp(createdAt) }).slice(0, -1)
  return `${start},"beforeState":${beforeState},"afterState":${afterState}}`
}

/** An entry of a subscriber's change log. */
export function changeEntryAt(
  time: string | number,
  subscriberId: string,
  changes: Partial<StoredChangeEntry> = {},
): StoredChangeEntry {
  const createdAt = new Date(time)
  return {
    id: makeUuidV7(createdAt.getTime(), Buffer.from(randomUUID())),
    subscriberId,
    user: { id: randomUUID(), name: 'Ada', email: 'ada@example.com' },
    entityType: 'portfolio',
    entityId: 'p-1',
    entityTitle: 'Portfolio',
    actionType: 'update',
    changedField: 'name',
    beforeState: 'null',
    afterState: '"new"',
    createdAt,
    ...changes,
  }
}
