import type { NewNotification } from '../notifications/notification-document.ts'

/** The notification of a request, as in its fan-out. */
export function toContent({ finishBy: _, ...notification }: NewNotification): string {
  return JSON.stringify(notification)
}

export function fromContent(content: string): NewNotification {
  const { createdAt, updatedAt, ...notification } = JSON.parse(content)
  return {
    ...notification,
    createdAt: new Date(createdAt),
    ...(updatedAt === undefined ? {} : { updatedAt: new Date(updatedAt) }),
  }
}
