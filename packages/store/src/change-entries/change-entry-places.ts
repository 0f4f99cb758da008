import { createPlaceFinder } from '../wire/document-places.ts'

/** The offsets of a change entry's values in the bytes of its document. */
export const changeEntryPlaces = createPlaceFinder({
  // The key is subscriber ‖ id.
  idInKey: 16,
  ids: ['userId'],
  texts: [
    ...['userName', 'userEmail', 'entityType', 'entityId', 'entityTitle'],
    ...['actionType', 'changedField', 'beforeState', 'afterState'],
  ] as const,
  times: ['createdAt'],
})
