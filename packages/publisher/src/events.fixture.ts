import { randomUUID } from 'node:crypto'
import type { EventData } from './event.ts'

export const subscriberId = '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9'

export const mentionData = (recipientIds: string[] = [randomUUID()]): EventData['herald.mention.created.v1'] => ({
  actor: { id: randomUUID(), name: 'Ada', image: '' },
  actorType: 'user',
  subjectId: randomUUID(),
  subjectType: 'user',
  locationId: randomUUID(),
  locationType: 'comment',
  metadata: { mention: { mentionerName: 'Ada', snippet: 'Look', entityType: 'portfolio' } },
  recipientIds,
})

export const changeData = (): EventData['herald.change.recorded.v1'] => ({
  user: { id: randomUUID(), name: 'Ada', email: 'ada@example.com' },
  entityType: 'portfolio',
  entityId: 'p-1',
  entityTitle: 'Growth',
  actionType: 'update',
  changedField: 'name',
  beforeState: { $set: 'Old', 'ö.': null },
  afterState: 'Growth',
})
