import { randomUUID } from 'node:crypto'
import type { HeraldTopics } from '../topics.ts'
import type { CloudEvent } from './cloud-events.ts'
import { changedFields, entities, people, remarks } from './sample-content.ts'

export interface SampleAccount {
  subscriberId: string
  userId: string
  otherUserId: string
}

export interface SampleEvent {
  topic: string
  event: CloudEvent
}

const MINUTE = 60_000

export function createSampleAccount(): SampleAccount {
  return { subscriberId: randomUUID(), userId: randomUUID(), otherUserId: randomUUID() }
}

/** Mentions of both users, one every 23 minutes back from `now`. */
export function sampleMentions(account: SampleAccount, topics: HeraldTopics, now: Date, count = 20): SampleEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const actor = pick(people, index)
    const entity = pick(entities, index)
    const data = {
      actor: { id: randomUUID(), name: actor.name, image: actor.image },
      actorType: actor.isAi ? 'ai user' : 'user',
      subjectId: account.userId,
      subjectType: 'user',
      locationId: randomUUID(),
      locationType: pick(['comment', 'value', 'file comment', 'entity'], index),
      metadata: {
        mention: { mentionerName: actor.name, snippet: pick(remarks, index), entityType: entity.type },
        add: {},
        edit: {},
      },
      recipientIds: [account.userId, account.otherUserId],
    }
    const time = new Date(now.getTime() - index * 23 * MINUTE)
    return { topic: topics.mention, event: sampleEvent('herald.mention.created.v1', account, time, data) }
  })
}

/** Changes of a few entities, one every 11 minutes back from `now`. */
export function sampleChanges(account: SampleAccount, topics: HeraldTopics, now: Date, count = 50): SampleEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const { name, email } = pick(people, index)
    const entity = pick(entities, index)
    const { field, before, after } = pick(changedFields, index)
    const data = {
      user: { id: randomUUID(), name, email },
      entityType: entity.type,
      entityId: entity.id,
      entityTitle: entity.title,
      actionType: before === null ? 'create' : after === null ? 'delete' : 'update',
      changedField: field,
      beforeState: before,
      afterState: after,
    }
    const time = new Date(now.getTime() - index * 11 * MINUTE)
    return { topic: topics.change, event: sampleEvent('herald.change.recorded.v1', account, time, data) }
  })
}

function sampleEvent(type: string, { subscriberId }: SampleAccount, time: Date, data: object): CloudEvent {
  return { id: randomUUID(), source: '/herald/samples', type, time, subscriberId, data }
}

function pick<T>(values: readonly [T, ...T[]], index: number): T {
  return values[index % values.length] ?? values[0]
}
