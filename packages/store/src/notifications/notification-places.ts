import { createPlaceFinder } from '../wire/document-places.ts'

/** The offsets of a notification's values in the bytes of its document. */
export const notificationPlaces = createPlaceFinder({
  // The key is subscriber ‖ recipient ‖ id.
  idInKey: 32,
  ids: ['actorId', 'subjectId', 'locationId'],
  texts: ['type', 'actorName', 'actorImage', 'actorType', 'subjectType', 'locationType', 'metadata'],
  times: ['createdAt', 'readAt', 'emailSentAt'],
})

export type NotificationPlaces = ReturnType<typeof notificationPlaces>
