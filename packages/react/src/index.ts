'use client'

export type { HeraldErrorEvent, HeraldNotificationEvent, HeraldUnreadCountEvent } from '@herald/inbox'
export type { Group, GroupMark, Listing, News } from '@herald/inbox/feed'
export { HeraldChangeLog, type HeraldChangeLogProps, HeraldInbox, type HeraldInboxProps } from './elements.ts'
export { type Inbox, type InboxOptions, useInbox } from './use-inbox.ts'
