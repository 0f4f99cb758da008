import type { Notification } from '@herald/client'

// Events that the components dispatch.
export type HeraldNotificationEvent = CustomEvent<{ notification: Notification; href?: string | undefined }>
export type HeraldUnreadCountEvent = CustomEvent<{ unreadCount: number; unseenCount: number | undefined }>
export type HeraldErrorEvent = CustomEvent<{
  error: unknown
  during: 'list' | 'mark' | 'mute' | 'stream' | 'export' | 'seal'
}>
