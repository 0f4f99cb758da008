export const notificationTypes = ['mention'] as const
export const actorTypes = ['user', 'ai user'] as const
export const locationTypes = ['comment', 'value', 'file comment', 'file', 'entity'] as const
export const subjectTypes = [...actorTypes, ...locationTypes] as const

export type NotificationType = (typeof notificationTypes)[number]
export type ActorType = (typeof actorTypes)[number]
export type LocationType = (typeof locationTypes)[number]
export type SubjectType = (typeof subjectTypes)[number]
