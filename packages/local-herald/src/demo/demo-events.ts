import type { HeraldTopics } from '@herald/test-servers'
import { entities } from '../samples/sample-content.ts'
import { mentionData, type SampleAccount, type SamplePerson, sampleEvent } from '../samples/samples.ts'

export type Comment = {
  id: string
  author: SamplePerson
  recipients: readonly SamplePerson[]
  text: string
  entityId: string
}

/** Creates the events that a comment service would publish: a mention, and a change for the new comment. */
export function eventsOfCreation(comment: Comment, account: SampleAccount, topics: HeraldTopics, now: Date) {
  const { id, author, recipients, text } = comment
  const mention = mentionData({
    actor: author,
    recipientIds: recipients.map(({ id }) => id),
    snippet: text,
    entityType: entityOf(comment).type,
    ...location(id),
  })
  const change = { ...changeOf(comment), actionType: 'create', beforeState: null, afterState: stateOf(comment) }
  return [
    { topic: topics.mention, event: sampleEvent('herald.mention.created.v1', account, now, mention) },
    { topic: topics.change, event: sampleEvent('herald.change.recorded.v1', account, now, change) },
  ]
}

/** Creates the events for a deleted comment: its mentions are retracted by its location. */
export function eventsOfDeletion(comment: Comment, account: SampleAccount, topics: HeraldTopics, now: Date) {
  const change = { ...changeOf(comment), actionType: 'delete', beforeState: stateOf(comment), afterState: null }
  return [
    { topic: topics.mention, event: sampleEvent('herald.mention.retracted.v1', account, now, location(comment.id)) },
    { topic: topics.change, event: sampleEvent('herald.change.recorded.v1', account, now, change) },
  ]
}

export const entityOf = ({ entityId }: Pick<Comment, 'entityId'>) =>
  entities.find(({ id }) => id === entityId) ?? entities[0]

const location = (locationId: string) => ({ locationType: 'comment', locationId })

function changeOf(comment: Comment) {
  const { author } = comment
  const entity = entityOf(comment)
  return {
    user: { id: author.id, name: author.name, email: author.email },
    entityType: entity.type,
    entityId: entity.id,
    entityTitle: entity.title,
    changedField: 'comment',
  }
}

const stateOf = ({ text, recipients }: Comment) => ({ text, mentions: recipients.map(({ name }) => name) })
