import { randomUUID } from 'node:crypto'
import type { HeraldTopics } from '@herald/test-servers'
import type { CloudEvent, SampleEvent } from './cloud-events.ts'
import { changedFields, entities, people, remarks } from './sample-content.ts'

export type SamplePerson = {
  id: string
  key: string | undefined
  name: string
  email: string
  image: string
  isAi: boolean
}

export type SampleAccount = {
  subscriberId: string
  /** The location of each entity, by the entity's id. */
  places: ReadonlyMap<string, string>
  people: readonly [SamplePerson, ...SamplePerson[]]
  /** Mei Tanaka, the user of the printed commands. */
  userId: string
  /** Amara Okafor. */
  otherUserId: string
}

const MINUTE = 60_000

/** @param pictures URL of the folder with the people's pictures; without it there are none */
export function createSampleAccount(pictures?: string): SampleAccount {
  const [first, ...others] = people.map(({ key, name, email, isAi = false }) => {
    const image = pictures !== undefined && key !== undefined ? `${pictures}/${key}.svg` : ''
    return { id: randomUUID(), key, name, email, image, isAi }
  }) as [SamplePerson, ...SamplePerson[]]
  const all = [first, ...others] as const
  const idOf = (key: string) => all.find((person) => person.key === key)?.id ?? first.id
  const places = new Map(entities.map(({ id }) => [id, randomUUID()]))
  return { subscriberId: randomUUID(), places, people: all, userId: idOf('mei'), otherUserId: idOf('amara') }
}

export type Mention = {
  actor: SamplePerson
  recipientIds: readonly string[]
  snippet: string
  entityType: string
  locationType: string
  /** A new one by default. */
  locationId?: string
}

export function mentionData(mention: Mention) {
  const { actor, recipientIds, snippet, entityType, locationType, locationId = randomUUID() } = mention
  return {
    actor: { id: actor.id, name: actor.name, image: actor.image },
    actorType: actor.isAi ? 'ai user' : 'user',
    subjectId: recipientIds[0],
    subjectType: 'user',
    locationId,
    locationType,
    metadata: { mention: { mentionerName: actor.name, snippet, entityType }, add: {}, edit: {} },
    recipientIds,
  }
}

/** Creates mentions of the people who can sign in, one every 23 minutes back from `now`. */
export function sampleMentions(account: SampleAccount, topics: HeraldTopics, now: Date, count = 24): SampleEvent[] {
  const users = account.people.filter(({ key }) => key !== undefined)
  return Array.from({ length: count }, (_, index) => {
    const actor = pick(account.people, index)
    const locationType = pick(['comment', 'entity', 'file comment', 'entity'], index)
    const isInEntity = locationType === 'entity'
    // Four in a row at each entity, so that a list by location has something to group.
    const entity = pick(entities, isInEntity ? Math.floor(index / 8) : index)
    const locationId = isInEntity ? account.places.get(entity.id) : undefined
    const data = mentionData({
      actor,
      recipientIds: users.filter(({ id }) => id !== actor.id).map(({ id }) => id),
      snippet: pick(remarks, index),
      entityType: entity.type,
      locationType,
      ...(locationId === undefined ? {} : { locationId }),
    })
    const time = new Date(now.getTime() - index * 23 * MINUTE)
    return { topic: topics.mention, event: sampleEvent('herald.mention.created.v1', account, time, data) }
  })
}

/** Creates changes of a few entities, one every 47 minutes back from `now`. */
export function sampleChanges(account: SampleAccount, topics: HeraldTopics, now: Date, count = 50): SampleEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const { id, name, email } = pick(account.people, index)
    const entity = pick(entities, index)
    const { field, before, after } = pick(changedFields, index)
    const data = {
      user: { id, name, email },
      entityType: entity.type,
      entityId: entity.id,
      entityTitle: entity.title,
      actionType: before === null ? 'create' : after === null ? 'delete' : 'update',
      changedField: field,
      beforeState: before,
      afterState: after,
    }
    const time = new Date(now.getTime() - index * 47 * MINUTE)
    return { topic: topics.change, event: sampleEvent('herald.change.recorded.v1', account, time, data) }
  })
}

export function sampleEvent(type: string, { subscriberId }: SampleAccount, time: Date, data: object): CloudEvent {
  return { id: randomUUID(), source: '/herald/samples', type, time, subscriberId, data }
}

function pick<T>(values: readonly [T, ...T[]], index: number): T {
  return values[index % values.length] ?? values[0]
}
