import type { z } from 'zod'
import { limits } from '../base/limits.ts'
import {
  changeEntriesSchema,
  changeEntryPageSchema,
  exportChangeEntriesQuerySchema,
  listChangeEntriesQuerySchema,
} from '../schemas/change-entry.ts'
import { examples } from '../schemas/examples.ts'
import {
  listNotificationsQuerySchema,
  notificationPageSchema,
  notificationParamsSchema,
} from '../schemas/list-notifications.ts'
import { markedReadSchema, markReadSchema, unreadCountSchema } from '../schemas/mark-read.ts'
import {
  createdNotificationResponseSchema,
  createNotificationHeadersSchema,
  createNotificationSchema,
  notificationResponseSchema,
  streamHeadersSchema,
} from '../schemas/notification.ts'
import type { MediaType, Operation } from './operation.ts'

export const scopes = { createNotifications: 'notifications:create', readChangeEntries: 'change-entries:read' } as const

type Content = Readonly<Record<string, MediaType>>

const ok = (description: string, content: Content) => ({ status: 200, description, content }) as const
const json = (schema: z.ZodType, example: unknown): Content => ({ 'application/json': { schema, example } })

const feed = { service: 'query', tag: 'Notifications' } as const
const oneNotification = {
  ...feed,
  params: notificationParamsSchema,
  success: ok('The notification', json(notificationResponseSchema, examples.notification)),
  errors: ['not_found'],
} as const

const changeLog = { method: 'GET', service: 'query', tag: 'Change log', scope: scopes.readChangeEntries } as const
const documentation = (path: string, summary: string, description: string, mediaType: string) =>
  ({
    method: 'GET',
    service: 'query',
    tag: 'Documentation',
    public: true,
    path,
    summary,
    success: ok(description, { [mediaType]: {} }),
  }) as const

const wholeRows =
  'Entries of captured changes (Debezium) with the `actionType` `create` or `delete` have a whole row as a state and an empty `changedField`.'

/**
 * Every operation of the contract, by its id. The gateway's routes, `Allow`, the options of the services' routes (including
 * validation) and the OpenAPI document are derived from this table. The parts have Fastify's names.
 */
export const operations = {
  createNotification: {
    method: 'POST',
    path: '/',
    service: 'ingest',
    tag: 'Notifications',
    summary: 'Create a notification',
    description:
      'The actor, its name and image, and the subscriber are taken from the token. `actorType` must match the token. Recipients must be unique, compared case-insensitively.',
    scope: scopes.createNotifications,
    headers: createNotificationHeadersSchema,
    body: createNotificationSchema,
    bodyBytes: limits.bodyBytes,
    bodyExamples: { mention: examples.createNotification },
    success: {
      status: 201,
      description: 'The created notification with its recipients',
      content: json(createdNotificationResponseSchema, examples.createdNotification),
    },
    errors: ['actor_type_mismatch', 'request_in_progress', 'request_erased', 'idempotency_key_reused'],
  },
  retractNotification: {
    method: 'DELETE',
    path: '/notifications/:notificationId',
    service: 'ingest',
    tag: 'Notifications',
    summary: 'Retract a notification',
    description:
      'Removes it from the feeds of all recipients. Only its actor can do this, whether it was created by `POST /` or by an event; for anyone else it does not exist. Can be repeated.',
    scope: scopes.createNotifications,
    params: notificationParamsSchema,
    success: { status: 204, description: 'No recipient has the notification any more', content: {} },
    errors: ['not_found'],
  },
  listNotifications: {
    ...feed,
    method: 'GET',
    path: '/',
    summary: 'List the current user’s notifications',
    description:
      'Newest first. Pass `nextCursor` as `cursor` to get the next page; it is `null` on the last page. A page may end before `limit` and still have a next one: it has at most 4 MiB of stored data, and with filters it looks at a bounded number of entries.',
    etag: true,
    querystring: listNotificationsQuerySchema,
    success: ok('A page', json(notificationPageSchema, examples.notificationPage)),
  },
  markNotificationsRead: {
    ...feed,
    method: 'POST',
    path: '/notifications/read',
    summary: 'Mark several notifications as read for the current user',
    description:
      'Takes either `ids`, or `all`, optionally with `upTo` to stop at a notification in list order. Marks exactly the notifications that are stored and unread at the time of the request. Ids of other users are ignored.',
    body: markReadSchema,
    bodyExamples: examples.markRead,
    success: ok(
      'The number of notifications marked, and the number still unread',
      json(markedReadSchema, examples.markedRead),
    ),
  },
  countUnreadNotifications: {
    ...feed,
    method: 'GET',
    path: '/notifications/unread-count',
    summary: 'Count the current user’s unread notifications',
    etag: true,
    success: ok('The exact count', json(unreadCountSchema, examples.unreadCount)),
  },
  streamNotifications: {
    ...feed,
    method: 'GET',
    path: '/notifications/stream',
    summary: 'Follow the current user’s notifications',
    description:
      'Server-sent events: `notification`, `read-state`, `retracted`, `unread-count` and `heartbeat`; `reset` when the position is no longer available and the client must list again; `expired`, `cut-off` or `closing` before the stream ends. Browsers read it with `fetch`, because a token must never be part of a URL. The number of open streams is bounded, per user and per process; one too many is 429.',
    headers: streamHeadersSchema,
    success: ok('An unbounded stream of events', { 'text/event-stream': { example: examples.stream } }),
  },
  getNotification: {
    ...oneNotification,
    method: 'GET',
    path: '/notifications/:notificationId',
    summary: 'Get a notification of the current user',
  },
  markNotificationUnread: {
    ...oneNotification,
    method: 'PATCH',
    path: '/notifications/:notificationId/unread',
    summary: 'Mark a notification as unread for the current user',
    description: '`readAt` is `null` afterwards.',
  },
  markNotificationRead: {
    ...oneNotification,
    method: 'PATCH',
    path: '/notifications/:notificationId/read',
    summary: 'Mark a notification as read for the current user',
    description: 'Sets `readAt` to the current time. A notification that is already read keeps its first `readAt`.',
  },
  listChangeEntries: {
    ...changeLog,
    path: '/change-entries',
    summary: 'List the current subscriber’s change entries, page by page',
    description: `Newest first. Pass \`nextCursor\` as \`cursor\` to get the next page; it is \`null\` on the last page. A page may end before \`limit\` and still have a next one: it has at most 4 MiB of stored data, and with filters it looks at a bounded number of entries. ${wholeRows}`,
    querystring: listChangeEntriesQuerySchema,
    success: ok('A page', json(changeEntryPageSchema, examples.changeEntryPage)),
  },
  listAllChangeEntries: {
    ...changeLog,
    path: '/change-entries/all',
    summary: 'List all change entries of the current subscriber',
    description: `Newest first, as one streamed document. \`Accept\` selects JSON (the default), NDJSON or CSV. If the export fails midway the connection is cut, so that an incomplete document is never mistaken for a complete one. The number of exports that are open at the same time is bounded, per user and per process; one too many is 429. ${wholeRows}`,
    querystring: exportChangeEntriesQuerySchema,
    success: ok('All entries', {
      ...json(changeEntriesSchema, examples.changeEntries),
      'application/x-ndjson': { example: examples.changeEntryLines },
      'text/csv': {},
    }),
  },
  getOpenApiDocument: documentation('/openapi.json', 'Get this document', 'OpenAPI 3.1', 'application/json'),
  getOpenApi30Document: documentation(
    '/openapi-3.0.json',
    'Get this document in OpenAPI 3.0, for generators that do not read 3.1',
    'OpenAPI 3.0',
    'application/json',
  ),
  getDocumentation: documentation('/docs', 'Show this document as an HTML page', 'An HTML page', 'text/html'),
  getAsyncApiDocument: documentation(
    '/asyncapi.json',
    'Get the AsyncAPI document of the Kafka events',
    'AsyncAPI 3.0',
    'application/json',
  ),
  getEventDocumentation: documentation(
    '/docs/events',
    'Show the event documentation as an HTML page',
    'An HTML page',
    'text/html',
  ),
  getMappingSchema: {
    ...documentation(
      '/schemas/captured-changes.json',
      'Get the JSON Schema of mapping files',
      'JSON Schema, draft 2020-12',
      'application/schema+json',
    ),
    description:
      'Editors check and complete the file of `CDC_MAPPINGS` with it: `# yaml-language-server: $schema=<this URL>` as its first line.',
  },
} as const satisfies Record<string, Operation>
