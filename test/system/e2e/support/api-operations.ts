import { randomUUID } from 'node:crypto'
import { createBody } from './create-body.ts'
import type { Request } from './http-client.ts'

/** An operation of the API as a request; `template` is its path in the OpenAPI document. */
export type Operation = Request & { method: string; path: string; template: string; scope?: string; public?: true }

const id = randomUUID()

/** Every operation of the contract's sections 3, 9 and 10; `api/openapi.test.ts` checks that none is missing. */
export const operations: readonly Operation[] = [
  { method: 'POST', path: '/', template: '/', json: createBody([id]), scope: 'notifications:create' },
  {
    method: 'DELETE',
    path: `/notifications/${id}`,
    template: '/notifications/{notificationId}',
    scope: 'notifications:create',
  },
  { method: 'GET', path: '/', template: '/' },
  { method: 'POST', path: '/notifications/read', template: '/notifications/read', json: { ids: [id] } },
  { method: 'POST', path: '/notifications/archived', template: '/notifications/archived', json: { all: true } },
  { method: 'POST', path: '/notifications/unarchived', template: '/notifications/unarchived', json: { ids: [id] } },
  { method: 'POST', path: '/notifications/seen', template: '/notifications/seen' },
  { method: 'GET', path: '/notifications/groups', template: '/notifications/groups' },
  { method: 'GET', path: '/notifications/unread-count', template: '/notifications/unread-count' },
  { method: 'GET', path: '/notifications/stream', template: '/notifications/stream' },
  { method: 'GET', path: `/notifications/${id}`, template: '/notifications/{notificationId}' },
  { method: 'PATCH', path: `/notifications/${id}/unread`, template: '/notifications/{notificationId}/unread' },
  { method: 'PATCH', path: `/notifications/${id}/read`, template: '/notifications/{notificationId}/read' },
  { method: 'PATCH', path: `/notifications/${id}/archived`, template: '/notifications/{notificationId}/archived' },
  { method: 'PATCH', path: `/notifications/${id}/unarchived`, template: '/notifications/{notificationId}/unarchived' },
  { method: 'GET', path: '/mutes', template: '/mutes' },
  { method: 'PUT', path: `/mutes/actor/${id}`, template: '/mutes/{kind}/{id}', json: {} },
  { method: 'DELETE', path: `/mutes/location/${id}`, template: '/mutes/{kind}/{id}' },
  { method: 'GET', path: '/change-entries', template: '/change-entries', scope: 'change-entries:read' },
  { method: 'GET', path: '/change-entries/all', template: '/change-entries/all', scope: 'change-entries:read' },
  {
    method: 'GET',
    path: '/change-entries/checkpoint',
    template: '/change-entries/checkpoint',
    scope: 'change-entries:read',
  },
  {
    method: 'GET',
    path: '/change-entries/checkpoint/key',
    template: '/change-entries/checkpoint/key',
    scope: 'change-entries:read',
  },
  {
    method: 'GET',
    path: '/change-entries/checkpoint/consistency?from=1',
    template: '/change-entries/checkpoint/consistency',
    scope: 'change-entries:read',
  },
  {
    method: 'GET',
    path: `/change-entries/${id}/proof`,
    template: '/change-entries/{changeEntryId}/proof',
    scope: 'change-entries:read',
  },
  { method: 'GET', path: '/change-entries/sealed', template: '/change-entries/sealed', scope: 'change-entries:read' },
  { method: 'GET', path: '/openapi.json', template: '/openapi.json', public: true },
  { method: 'GET', path: '/openapi-3.0.json', template: '/openapi-3.0.json', public: true },
  { method: 'GET', path: '/docs', template: '/docs', public: true },
  { method: 'GET', path: '/asyncapi.json', template: '/asyncapi.json', public: true },
  { method: 'GET', path: '/docs/events', template: '/docs/events', public: true },
  {
    method: 'GET',
    path: '/schemas/captured-changes.json',
    template: '/schemas/captured-changes.json',
    public: true,
  },
]

/** The operations that need a token. */
export const guarded = operations.filter((operation) => !operation.public)
