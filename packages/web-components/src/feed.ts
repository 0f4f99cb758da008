export type { Mark } from './inbox/changes.ts'
export { type Group, keyOf } from './inbox/groups.ts'
// The inbox without elements, for lists of one's own and for other frameworks.
export { createInboxFeed, followPage, type InboxFeed, type PageEvent } from './inbox/inbox-feed.ts'
export { emptyInbox, type InboxState, type Listing, shown } from './inbox/inbox-state.ts'
export type { GroupMark, InboxFeedDependencies, News } from './inbox/user-inbox.ts'
