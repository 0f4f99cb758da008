import type { HeraldTopics } from '@herald/test-servers'
import type { SampleEvent } from '../samples/cloud-events.ts'
import { entities } from '../samples/sample-content.ts'
import { mentionData, type SampleAccount, type SamplePerson, sampleEvent } from '../samples/samples.ts'

export type Composed = {
  author: SamplePerson
  recipients: readonly SamplePerson[]
  text: string
  entityId: string
}

/** Creates the events that a comment service would publish: a mention, and a change for the new comment. */
export function eventsOf(composed: Composed, account: SampleAccount, topics: HeraldTopics, now: Date): SampleEvent[] {
  const { author, recipients, text, entityId } = composed
  const entity = entities.find(({ id }) => id === entityId) ?? entities[0]
  const mention = mentionData({
    actor: author,
    recipientIds: recipients.map(({ id }) => id),
    snippet: text,
    entityType: entity.type,
    locationType: 'comment',
  })
  const change = {
    user: { id: author.id, name: author.name, email: author.email },
    entityType: entity.type,
    entityId: entity.id,
    entityTitle: entity.title,
    actionType: 'create',
    changedField: 'comment',
    beforeState: null,
    afterState: { text, mentions: recipients.map(({ name }) => name) },
  }
  return [
    { topic: topics.mention, event: sampleEvent('herald.mention.created.v1', account, now, mention) },
    { topic: topics.change, event: sampleEvent('herald.change.recorded.v1', account, now, change) },
  ]
}
