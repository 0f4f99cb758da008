import { randomUUID } from 'node:crypto'
import type { CreateNotification } from '@herald/contracts'

/** The body of a create request with two recipients. */
export const createRequest = (changes: Record<string, unknown> = {}): CreateNotification => ({
  type: 'mention',
  actorType: 'user',
  subjectId: randomUUID(),
  subjectType: 'user',
  locationId: randomUUID(),
  locationType: 'comment',
  metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' }, add: {}, edit: {} },
  recipientIds: [randomUUID(), randomUUID()],
  ...changes,
})
