import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { derivedId } from '../support/derived-id.ts'
import { binary, change, mention, structured, timesUntilNow } from '../support/events.ts'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { eventually } from '../support/polling.ts'
import type { ChangeEntry, Page } from '../support/spec-shapes.ts'
import { idsStored } from '../support/stored.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
let user: User

beforeAll(async () => {
  herald = await startTestHerald('replay')
  user = await herald.newUser({ scope: 'change-entries:read' })
})
afterAll(() => herald?.stop())

const feed = async () => ((await user.get('/?limit=100')).json as { data: Page }).data.notifications
const log = async () => ((await user.get('/change-entries/all')).json as { data: ChangeEntry[] }).data

test('the same events published again change nothing: what was read stays read, the first content stands', async () => {
  const said = timesUntilNow(40).map((time) => ({ subscriberid: user.subscriberId, time }))
  const mentions = said.map((each) => mention([user.id], each))
  const changes = said.map((each) => change(each))
  const { mention: mentionTopic, change: changeTopic } = herald.topics
  await herald.publish(mentionTopic, mentions.map(structured))
  await herald.publish(changeTopic, changes.map(structured))
  await eventually(async () => (await feed()).length === 40 && (await log()).length === 40)
  for (const { id } of (await feed()).slice(0, 10)) await user.patch(`/notifications/${id}/read`)
  const before = { feed: await feed(), log: await log(), stored: await idsStored(herald.database) }

  // In the other mode, with another content, and in the other order; then one more of each, which tells that all were seen.
  const others = { actor: { id: user.id, name: 'Second', image: '' } }
  const again = mentions.map((event) => binary({ ...event, data: { ...event.data, ...others } })).reverse()
  await herald.publish(mentionTopic, [...mentions.map(structured), ...again])
  await herald.publish(
    changeTopic,
    changes.map((event) => binary({ ...event, data: { ...event.data, entityTitle: '2' } })),
  )
  const last = { mention: mention([user.id], said[0] as never), change: change(said[0] as never) }
  await herald.publish(mentionTopic, [structured(last.mention)])
  await herald.publish(changeTopic, [structured(last.change)])
  await eventually(async () => (await feed()).length === 41 && (await log()).length === 41)

  const without = <T extends { id: string }>(items: T[], last: Parameters<typeof derivedId>[0]) =>
    items.filter(({ id }) => id !== derivedId(last))
  expect(without(await feed(), last.mention)).toStrictEqual(before.feed)
  expect(without(await log(), last.change)).toStrictEqual(before.log)
  expect(await idsStored(herald.database)).toEqual({
    notifications: [...before.stored.notifications, derivedId(last.mention)].sort(),
    changeEntries: [...before.stored.changeEntries, derivedId(last.change)].sort(),
  })
})

test('the same source and id at another time, or of another subscriber, is another event', async () => {
  const [reader, other] = [await herald.newUser(), await herald.newUser()]
  const [earlier = '', later = ''] = timesUntilNow(2)
  const first = mention([reader.id], { subscriberid: reader.subscriberId, id: 'same', time: earlier })
  const second = { ...first, time: later }
  const theirs = { ...first, subscriberid: other.subscriberId, data: { ...first.data, recipientIds: [other.id] } }
  await herald.publish(herald.topics.mention, [first, second, theirs].map(structured))
  const idsOf = async (of: User) => ((await of.get('/')).json as { data: Page }).data.notifications.map(({ id }) => id)
  await eventually(async () => (await idsOf(reader)).length === 2 && (await idsOf(other)).length === 1)
  expect(await idsOf(reader)).toEqual([derivedId(second), derivedId(first)])
  expect(await idsOf(other)).toEqual([derivedId(theirs)])
})
