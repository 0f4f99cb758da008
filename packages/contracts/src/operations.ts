/** An operation behind the base URL, and the service that answers it. */
export type Operation = { readonly method: 'GET' | 'POST' | 'PATCH'; readonly path: string; readonly service: Service }
export type Service = 'ingest' | 'query'

/** The scopes that operations ask for beyond a valid token. */
export const scopes = { createNotifications: 'notifications:create', readChangeEntries: 'change-entries:read' } as const

/** Every operation of the contract that is served, by method and path; a gateway routes by this table. */
export const operations: readonly Operation[] = [
  { method: 'POST', path: '/', service: 'ingest' },
  { method: 'GET', path: '/', service: 'query' },
  { method: 'POST', path: '/notifications/read', service: 'query' },
  { method: 'GET', path: '/notifications/unread-count', service: 'query' },
  { method: 'GET', path: '/notifications/stream', service: 'query' },
  { method: 'GET', path: '/notifications/:notificationId', service: 'query' },
  { method: 'PATCH', path: '/notifications/:notificationId/unread', service: 'query' },
  { method: 'PATCH', path: '/notifications/:notificationId/read', service: 'query' },
  { method: 'GET', path: '/change-entries', service: 'query' },
  { method: 'GET', path: '/change-entries/all', service: 'query' },
]
