import type { z } from 'zod'
import { limits } from '../base/limits.ts'
import {
  changeEntriesSchema,
  changeEntryPageSchema,
  exportChangeEntriesQuerySchema,
  listChangeEntriesQuerySchema,
} from '../schemas/change-entry.ts'
import { examples } from '../schemas/examples.ts'
import { groupPageSchema, listGroupsQuerySchema } from '../schemas/groups.ts'
import {
  listNotificationsQuerySchema,
  notificationPageSchema,
  notificationParamsSchema,
} from '../schemas/list-notifications.ts'
import {
  archiveManySchema,
  markedSchema,
  markManySchema,
  markSeenSchema,
  seenSchema,
  unreadCountSchema,
} from '../schemas/marks.ts'
import { muteParamsSchema, muteResponseSchema, muteSchema, mutesSchema } from '../schemas/mutes.ts'
import {
  createdNotificationResponseSchema,
  createNotificationHeadersSchema,
  createNotificationSchema,
  notificationResponseSchema,
  streamHeadersSchema,
  streamQuerySchema,
} from '../schemas/notification.ts'
import {
  changeEntryParamsSchema,
  changeEntryProofSchema,
  checkpointKeysSchema,
  checkpointSchema,
  consistencyQuerySchema,
  consistencySchema,
  exportSealedLogQuerySchema,
} from '../schemas/sealed-log.ts'
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

const marksMany = {
  ...feed,
  method: 'POST',
  body: markManySchema,
  bodyExamples: examples.markMany,
  success: ok(
    'The number of notifications changed, and the numbers still unread and unseen',
    json(markedSchema, examples.marked),
  ),
} as const
const whichMany =
  'Takes either `ids`, or `all`, optionally with `upTo` to stop at a notification in list order, and with `locationType` and `locationId`. Ids of other users are ignored.'

const mutes = { service: 'query', tag: 'Mutes' } as const
const oneMute = { ...mutes, path: '/mutes/:kind/:id', params: muteParamsSchema } as const

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
      'Newest first, without archived ones unless `archived` asks for them; `status` applies within these. Pass `nextCursor` as `cursor` to get the next page; it is `null` on the last page. A page may end before `limit`, and may even be empty, and still have a next one: it has at most 4 MiB of stored data, and with filters it looks at 10,000 notifications. Only `nextCursor` `null` is the end.',
    etag: true,
    querystring: listNotificationsQuerySchema,
    success: ok('A page', json(notificationPageSchema, examples.notificationPage)),
  },
  markNotificationsRead: {
    ...marksMany,
    path: '/notifications/read',
    summary: 'Mark several notifications as read for the current user',
    description: `${whichMany} Marks exactly the notifications that are stored and unread at the time of the request.`,
  },
  archiveNotifications: {
    ...marksMany,
    path: '/notifications/archived',
    summary: 'Archive several notifications of the current user',
    description: `${whichMany} With the \`status\` \`read\`, \`all\` leaves unread ones alone. Archives exactly the notifications that are stored and not archived at the time of the request, and marks unread ones as read.`,
    body: archiveManySchema,
    bodyExamples: examples.archiveMany,
  },
  unarchiveNotifications: {
    ...marksMany,
    path: '/notifications/unarchived',
    summary: 'Take several notifications of the current user out of the archive',
    description: `${whichMany} They remain read.`,
  },
  markNotificationsSeen: {
    ...feed,
    method: 'POST',
    path: '/notifications/seen',
    summary: 'Mark the current user’s notifications as seen',
    description:
      'Sets the mark to the newest notification that is stored, at most to `upTo`, the newest one shown, and to none dated ahead. The mark never goes back. A notification that arrives later with an earlier time counts as seen.',
    body: markSeenSchema,
    bodyExamples: examples.markSeen,
    success: ok('The mark, and the number of unread notifications above it', json(seenSchema, examples.seen)),
  },
  listNotificationGroups: {
    ...feed,
    method: 'GET',
    path: '/notifications/groups',
    summary: 'List the current user’s notifications by location',
    description:
      'Groups the newest 1,000 notifications that match and are not archived, the group with the newest one first. Pass `nextCursor` as `cursor` to get the next page; later pages contain nothing newer than the first one, so that each group comes once.',
    etag: true,
    querystring: listGroupsQuerySchema,
    success: ok('A page of groups', json(groupPageSchema, examples.groups)),
  },
  countUnreadNotifications: {
    ...feed,
    method: 'GET',
    path: '/notifications/unread-count',
    summary: 'Count the current user’s unread and unseen notifications',
    description: 'Without archived and muted ones. Unseen are the unread ones above the newest one seen.',
    etag: true,
    success: ok('The exact counts', json(unreadCountSchema, examples.unreadCount)),
  },
  streamNotifications: {
    ...feed,
    method: 'GET',
    path: '/notifications/stream',
    summary: 'Follow the current user’s notifications',
    description:
      'Server-sent events: `notification`, `read-state`, `archive-state`, `seen`, `retracted`, `unread-count` and `heartbeat`; `reset` when the client must list again, because the position is no longer available or an erasure has changed its feed; `expired`, `cut-off` or `closing` before the stream ends. Browsers read it with `fetch`, because a token must never be part of a URL. The number of open streams is bounded, per user and per process; one too many is 429.',
    querystring: streamQuerySchema,
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
    description: '`readAt` is `null` afterwards, and it is neither archived nor muted any more.',
  },
  markNotificationRead: {
    ...oneNotification,
    method: 'PATCH',
    path: '/notifications/:notificationId/read',
    summary: 'Mark a notification as read for the current user',
    description: 'Sets `readAt` to the current time. A notification that is already read keeps its first `readAt`.',
  },
  archiveNotification: {
    ...oneNotification,
    method: 'PATCH',
    path: '/notifications/:notificationId/archived',
    summary: 'Archive a notification of the current user',
    description:
      'Sets `archivedAt` to the current time, and `readAt` if it is unread. An archived one stays unchanged.',
  },
  unarchiveNotification: {
    ...oneNotification,
    method: 'PATCH',
    path: '/notifications/:notificationId/unarchived',
    summary: 'Take a notification of the current user out of the archive',
    description: 'It keeps its `readAt`.',
  },
  listMutes: {
    ...mutes,
    method: 'GET',
    path: '/mutes',
    summary: 'List what the current user has muted',
    description: 'Last set first, without those that are over.',
    etag: true,
    success: ok('All mutes', json(mutesSchema, examples.mutes)),
  },
  setMute: {
    ...oneMute,
    method: 'PUT',
    summary: 'Mute a location or an actor for the current user',
    description:
      'What is stored from now on is read at once, in the list but in no count, and not announced. Nothing that is stored changes, and nobody else learns of it. With `until`, it ends by itself. Replaces an earlier one.',
    body: muteSchema,
    bodyExamples: examples.mute,
    success: ok('The mute', json(muteResponseSchema, examples.muted)),
    errors: ['too_many_mutes'],
  },
  removeMute: {
    ...oneMute,
    method: 'DELETE',
    summary: 'Unmute a location or an actor for the current user',
    description: 'Holds for what is stored from now on. Can be repeated.',
    success: { status: 204, description: 'It is not muted', content: {} },
  },
  listChangeEntries: {
    ...changeLog,
    path: '/change-entries',
    summary: 'List the current subscriber’s change entries, page by page',
    description: `Newest first. Pass \`nextCursor\` as \`cursor\` to get the next page; it is \`null\` on the last page. A page may end before \`limit\`, and may even be empty, and still have a next one: it has at most 4 MiB of stored data, and with filters it looks at 10,000 entries. Only \`nextCursor\` \`null\` is the end. With \`order=recorded\`, to copy the log and follow it: oldest first in the order in which entries were recorded, so that none appears behind a position that was returned, however late its event; \`nextCursor\` is always present, and the same one if there is nothing new; a page may be empty and have a new cursor; \`hasMore\` is \`false\` exactly when nothing more was recorded when it was read, and loaders stop there; \`lagSeconds\` is how far the order may be behind what is stored. ${wholeRows}`,
    querystring: listChangeEntriesQuerySchema,
    success: ok('A page', json(changeEntryPageSchema, examples.changeEntryPage)),
    errors: ['cursor_expired', 'order_not_ready'],
  },
  listAllChangeEntries: {
    ...changeLog,
    path: '/change-entries/all',
    summary: 'List all change entries of the current subscriber',
    description: `Newest first, as one streamed document. \`Accept\` selects JSON (the default), NDJSON or CSV. In CSV an apostrophe precedes texts that a spreadsheet would evaluate, and texts that begin with one, also behind \`;\`, CR and LF within a text: remove one there to read them back; states are JSON without it. If the export fails midway the connection is cut, so that an incomplete document is never mistaken for a complete one. The number of exports that are open at the same time is bounded, per user and per process; one too many is 429. ${wholeRows}`,
    querystring: exportChangeEntriesQuerySchema,
    success: ok('All entries', {
      ...json(changeEntriesSchema, examples.changeEntries),
      'application/x-ndjson': { example: examples.changeEntryLines },
      'text/csv': {},
    }),
  },
  getCheckpoint: {
    ...changeLog,
    path: '/change-entries/checkpoint',
    summary: 'Get the newest checkpoint of the sealed change log',
    description:
      'A signed note (C2SP tlog-checkpoint): the size and the root of the Merkle tree (RFC 9162) over the log in recorded order. `Accept: application/json` returns it as JSON.',
    etag: true,
    success: ok('The signed checkpoint', {
      // JSON first: several generators take the type of the first, and ask for JSON wherever there is some.
      ...json(checkpointSchema, examples.checkpoint),
      'text/plain': { example: examples.checkpointNote },
    }),
    errors: ['sealing_off', 'no_such_checkpoint'],
  },
  getCheckpointKeys: {
    ...changeLog,
    path: '/change-entries/checkpoint/key',
    summary: 'Get the keys that verify checkpoints',
    description:
      'Verifier keys (C2SP signed-note). Whoever verifies a log should have them from elsewhere too, such as the operator: someone who alters the log could also alter this response.',
    etag: true,
    success: ok(
      'All keys that ever signed, the present one first',
      json(checkpointKeysSchema, examples.checkpointKeys),
    ),
    errors: ['sealing_off'],
  },
  getCheckpointConsistency: {
    ...changeLog,
    path: '/change-entries/checkpoint/consistency',
    summary: 'Prove that the log of one size continues that of a smaller size',
    description:
      '0 ≤ `from` ≤ `to` ≤ the size of the newest checkpoint, or 400 `invalid_size`. There must be a checkpoint of size `to`.',
    etag: true,
    querystring: consistencyQuerySchema,
    success: ok('The proof, and the checkpoint of size `to`', json(consistencySchema, examples.consistency)),
    errors: ['sealing_off', 'invalid_size', 'no_such_checkpoint'],
  },
  getChangeEntryProof: {
    ...changeLog,
    path: '/change-entries/:changeEntryId/proof',
    summary: 'Prove that a change entry is in the sealed log',
    description:
      'With the hashes, the leaf of the entry gives the root in `checkpoint`. An entry that is stored and in no checkpoint yet is 409 `not_sealed_yet`. `Accept: text/plain` returns the proof as C2SP tlog-proof, with the data of the leaf as `extra`, for programs that know nothing of Herald; of an entry that was erased or has expired that is 404 `leaf_unavailable`.',
    etag: true,
    params: changeEntryParamsSchema,
    success: ok('The proof, and the newest checkpoint', {
      ...json(changeEntryProofSchema, examples.changeEntryProof),
      'text/plain': { example: examples.tlogProof },
    }),
    errors: ['sealing_off', 'not_found', 'leaf_unavailable', 'not_sealed_yet'],
  },
  exportSealedLog: {
    ...changeLog,
    path: '/change-entries/sealed',
    summary: 'Export the sealed change log',
    description:
      'For `verify.js`: a first line with the newest checkpoint, then one for each leaf in recorded order, from index `from` to before `to`. Of an entry whose user was erased, everything else can still be proven; of an expired one its hash is left. Lines from the size of the checkpoint on are not sealed yet. While a person is being erased: 503 `order_not_ready`. If the export fails midway the connection is cut.',
    querystring: exportSealedLogQuerySchema,
    success: ok('The checkpoint and the leaves', { 'application/x-ndjson': { example: examples.sealedLines } }),
    errors: ['sealing_off', 'no_such_checkpoint', 'invalid_size', 'order_not_ready'],
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
