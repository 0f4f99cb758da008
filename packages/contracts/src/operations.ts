import { examples } from './examples.ts'
import {
  changeEntriesSchema,
  changeEntryPageSchema,
  exportChangeEntriesQuerySchema,
  listChangeEntriesQuerySchema,
} from './list-change-entries.ts'
import { listNotificationsQuerySchema, notificationPageSchema, notificationParamsSchema } from './list-notifications.ts'
import { markedReadSchema, markReadSchema, unreadCountSchema } from './mark-read.ts'
import {
  createdNotificationAnswerSchema,
  createNotificationHeadersSchema,
  createNotificationSchema,
  notificationAnswerSchema,
} from './notification.ts'
import type { Operation } from './operation.ts'
import { streamHeadersSchema } from './stream.ts'

/** The scopes that operations ask for beyond a valid token. */
export const scopes = { createNotifications: 'notifications:create', readChangeEntries: 'change-entries:read' } as const

const oneNotification = {
  service: 'query',
  tag: 'Notifications',
  params: notificationParamsSchema,
  success: {
    status: 200,
    description: 'The notification',
    content: { 'application/json': { schema: notificationAnswerSchema, example: examples.notification } },
  },
  errors: ['not_found'],
} as const

const firstOfPage = { notificationId: '$response.body#/data/notifications/0/id' } as const

/**
 * Every operation of the contract, by its id. The gateway's routes, `Allow`, the options of the services' routes (and so
 * their validation) and the OpenAPI document all come from here. Names of parts are Fastify's.
 */
export const operations = {
  createNotification: {
    method: 'POST',
    path: '/',
    service: 'ingest',
    tag: 'Notifications',
    summary: 'Create a notification',
    description:
      'The actor, its name and image, and the subscriber come from the token. `actorType` must be the token’s. No user may be named twice, in whichever case.',
    scope: scopes.createNotifications,
    headers: createNotificationHeadersSchema,
    body: createNotificationSchema,
    bodyExamples: { mention: examples.createNotification },
    success: {
      status: 201,
      description: 'The notification with its recipients',
      content: {
        'application/json': { schema: createdNotificationAnswerSchema, example: examples.createdNotification },
      },
    },
    errors: ['actor_type_mismatch', 'request_in_progress', 'idempotency_key_reused'],
  },
  listNotifications: {
    method: 'GET',
    path: '/',
    service: 'query',
    tag: 'Notifications',
    summary: 'List the current user’s notifications',
    description: 'Newest first. `nextCursor` goes into `cursor` for the next page, and is `null` on the last one.',
    etag: true,
    querystring: listNotificationsQuerySchema,
    success: {
      status: 200,
      description: 'A page',
      content: { 'application/json': { schema: notificationPageSchema, example: examples.notificationPage } },
      links: { getNotification: firstOfPage, markNotificationRead: firstOfPage, markNotificationUnread: firstOfPage },
    },
  },
  markNotificationsRead: {
    method: 'POST',
    path: '/notifications/read',
    service: 'query',
    tag: 'Notifications',
    summary: 'Mark many notifications as read for the current user',
    description:
      'Some by their `ids`, or `all`, or all `upTo` one of them in the order of the list. Marks exactly what is stored and unread now. Ids that are not the current user’s are passed over.',
    body: markReadSchema,
    bodyExamples: examples.markRead,
    success: {
      status: 200,
      description: 'How many were marked, and how many are unread now',
      content: { 'application/json': { schema: markedReadSchema, example: examples.markedRead } },
    },
  },
  countUnreadNotifications: {
    method: 'GET',
    path: '/notifications/unread-count',
    service: 'query',
    tag: 'Notifications',
    summary: 'Count the current user’s unread notifications',
    etag: true,
    success: {
      status: 200,
      description: 'The exact number',
      content: { 'application/json': { schema: unreadCountSchema, example: examples.unreadCount } },
    },
  },
  streamNotifications: {
    method: 'GET',
    path: '/notifications/stream',
    service: 'query',
    tag: 'Notifications',
    summary: 'Follow the current user’s notifications',
    description:
      'Server-sent events: `notification`, `read-state`, `unread-count`, `heartbeat`; `reset` when the position is gone and the client must list again; `expired`, `cut-off` and `closing` before the end. Browsers read it with `fetch`, for a token never stands in an address.',
    headers: streamHeadersSchema,
    success: {
      status: 200,
      description: 'Events without end',
      content: { 'text/event-stream': { example: examples.stream } },
    },
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
    description: '`readAt` is now; one that was read before keeps its first.',
  },
  listChangeEntries: {
    method: 'GET',
    path: '/change-entries',
    service: 'query',
    tag: 'Change log',
    summary: 'List the current subscriber’s change entries, page by page',
    description: 'Newest first. `nextCursor` goes into `cursor` for the next page, and is `null` on the last one.',
    scope: scopes.readChangeEntries,
    querystring: listChangeEntriesQuerySchema,
    success: {
      status: 200,
      description: 'A page',
      content: { 'application/json': { schema: changeEntryPageSchema, example: examples.changeEntryPage } },
    },
  },
  listAllChangeEntries: {
    method: 'GET',
    path: '/change-entries/all',
    service: 'query',
    tag: 'Change log',
    summary: 'List all change entries of the current subscriber',
    description:
      'Newest first, as one transfer. `Accept` chooses the form; JSON when nothing else is asked for. A transfer that fails on the way is cut, never closed as if it were whole.',
    scope: scopes.readChangeEntries,
    querystring: exportChangeEntriesQuerySchema,
    success: {
      status: 200,
      description: 'Every entry',
      content: {
        'application/json': { schema: changeEntriesSchema, example: examples.changeEntries },
        'application/x-ndjson': { example: examples.changeEntryLines },
        'text/csv': {},
      },
    },
  },
  getOpenApiDocument: {
    method: 'GET',
    path: '/openapi.json',
    service: 'query',
    tag: 'Documentation',
    summary: 'Get this document',
    public: true,
    success: { status: 200, description: 'OpenAPI 3.1', content: { 'application/json': {} } },
  },
  getDocumentation: {
    method: 'GET',
    path: '/docs',
    service: 'query',
    tag: 'Documentation',
    summary: 'Read this document as a page',
    public: true,
    success: { status: 200, description: 'A page for browsers', content: { 'text/html': {} } },
  },
  getAsyncApiDocument: {
    method: 'GET',
    path: '/asyncapi.json',
    service: 'query',
    tag: 'Documentation',
    summary: 'Get the document of the events that are read from Kafka',
    public: true,
    success: { status: 200, description: 'AsyncAPI 3.0', content: { 'application/json': {} } },
  },
  getEventDocumentation: {
    method: 'GET',
    path: '/docs/events',
    service: 'query',
    tag: 'Documentation',
    summary: 'Read the document of the events as a page',
    public: true,
    success: { status: 200, description: 'A page for browsers', content: { 'text/html': {} } },
  },
} as const satisfies Record<string, Operation>
