/** Specification 2.2: a notification as its recipient sees it. */
export type Notification = {
  id: string
  subscriberId: string
  type: string
  actorId: string
  actorType: string
  subjectId: string
  subjectType: string
  locationId: string
  locationType: string
  metadata: { mention: Record<string, string>; add: object; edit: object }
  createdAt: string
  updatedAt: string
  actor: { id: string; name: string; image: string }
  readAt: string | null
  emailSentAt: string | null
}

/** Specification 2.1: a notification as it was created. */
export type CreatedNotification = Omit<Notification, 'readAt' | 'emailSentAt'> & {
  recipients: { recipientId: string; readAt: string | null; emailSentAt: string | null }[]
}

/** Specification 2.5. */
export type ChangeEntry = {
  id: string
  user: { id: string; name: string; email: string }
  entityType: string
  entityId: string
  entityTitle: string
  actionType: string
  changedField: string
  createdAt: string
  beforeState: unknown
  afterState: unknown
}

export type Page = { notifications: Notification[]; nextCursor: string | null }

export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

/** A time as the API returns it: without fractional seconds. */
export const toSeconds = (time: string) => `${new Date(time).toISOString().slice(0, 19)}Z`
