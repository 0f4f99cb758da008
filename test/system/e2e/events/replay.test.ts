import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { derivedId } from '../support/derived-id.ts'
import { binary, change, mention, structured, timesUntilNow } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { dataOf, listIds } from '../support/notifications.ts'
import type { ChangeEntry, Page } from '../support/spec-shapes.ts'
import { idsStored } from '../support/stored.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
let user: User

beforeAll(async () => {
  herald = await useSharedHerald()
  user = await herald.newUser({ scope: 'change-entries:read' })
})
afterAll(() => herald?.disconnect())

const feed = async () => dataOf<Page>(await user.get('/?limit=100')).notifications
const log = async () => dataOf<ChangeEntry[]>(await user.get('/change-entries/all'))

test('replayed events change nothing: read state and the first content are kept', async () => {
  const attributes = timesUntilNow(40).map((time) => ({ subscriberid: user.subscriberId, time }))
  const mentions = attributes.map((each) => mention([user.id], each))
  const changes = attributes.map((each) => change(each))
  const { mention: mentionTopic, change: changeTopic } = herald.topics
  await herald.publish(mentionTopic, mentions.map(structured))
  await herald.publish(changeTopic, changes.map(structured))
  await eventually(async () => (await feed()).length === 40 && (await log()).length === 40)
  for (const { id } of (await feed()).slice(0, 10)) await user.patch(`/notifications/${id}/read`)
  const before = { feed: await feed(), log: await log(), stored: await idsStored(herald.database, user.subscriberId) }

  // In the other content mode, with other content and in reverse order; then one more of each, which shows that all were handled.
  const others = { actor: { id: user.id, name: 'Second', image: '' } }
  const again = mentions.map((event) => binary({ ...event, data: { ...event.data, ...others } })).reverse()
  await herald.publish(mentionTopic, [...mentions.map(structured), ...again])
  await herald.publish(
    changeTopic,
    changes.map((event) => binary({ ...event, data: { ...event.data, entityTitle: '2' } })),
  )
  const last = { mention: mention([user.id], attributes[0] as never), change: change(attributes[0] as never) }
  await herald.publish(mentionTopic, [structured(last.mention)])
  await herald.publish(changeTopic, [structured(last.change)])
  await eventually(async () => (await feed()).length === 41 && (await log()).length === 41)

  const without = <T extends { id: string }>(items: T[], last: Parameters<typeof derivedId>[0]) =>
    items.filter(({ id }) => id !== derivedId(last))
  expect(without(await feed(), last.mention)).toStrictEqual(before.feed)
  expect(without(await log(), last.change)).toStrictEqual(before.log)
  expect(await idsStored(herald.database, user.subscriberId)).toEqual({
    notifications: [...before.stored.notifications, derivedId(last.mention)].sort(),
    changeEntries: [...before.stored.changeEntries, derivedId(last.change)].sort(),
  })
})

test('the same source and id with another time or subscriber is another event', async () => {
  const [reader, other] = [await herald.newUser(), await herald.newUser()]
  const [earlier = '', later = ''] = timesUntilNow(2)
  const first = mention([reader.id], { subscriberid: reader.subscriberId, id: 'same', time: earlier })
  const second = { ...first, time: later }
  const theirs = { ...first, subscriberid: other.subscriberId, data: { ...first.data, recipientIds: [other.id] } }
  await herald.publish(herald.topics.mention, [first, second, theirs].map(structured))
  await eventually(async () => (await listIds(reader)).length === 2 && (await listIds(other)).length === 1)
  expect(await listIds(reader)).toEqual([derivedId(second), derivedId(first)])
  expect(await listIds(other)).toEqual([derivedId(theirs)])
})
