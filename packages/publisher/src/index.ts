export type { EventData, EventIdentity, EventType, HeraldEvent } from './event.ts'
export { changeEntryIdOf, notificationIdOf } from './event-ids.ts'
export { createEvents, type EventsOptions, type HeraldEvents } from './events.ts'
export { InvalidEvent } from './invalid-event.ts'
export {
  type ContentMode,
  type EventMessage,
  type EventRecord,
  type MessageOptions,
  type Topics,
  toMessage,
  topicOf,
  toRecord,
} from './message.ts'
export { type BatchProducer, createPublisher, type PublisherOptions } from './publisher.ts'
export { type Announcement, readAnnouncement } from './read-announcement.ts'
export { type AnyMessage, type ReadOptions, readMessage } from './read-message.ts'
export { createRepeatedAnnouncements, type RepeatedAnnouncements } from './repeated-announcements.ts'
