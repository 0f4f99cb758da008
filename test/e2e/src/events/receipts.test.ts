import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { derivedId } from '../support/derived-id.ts'
import { binary, mention, receipt, structured } from '../support/events.ts'
import { startTestHerald, type TestHerald } from '../support/herald.ts'
import { eventually } from '../support/polling.ts'
import { type Notification, toSeconds } from '../support/spec-shapes.ts'
import type { User } from '../support/user.ts'

const [emailSent, read] = ['herald.email.sent.v1', 'herald.notification.read.v1'] as const
let herald: TestHerald

beforeAll(async () => {
  herald = await startTestHerald('receipts')
})
afterAll(() => herald?.stop())

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

/** A user with a mention of an hour ago that may not be published yet, and the ways to tell of it and to look at it. */
async function someoneMentioned() {
  const user = await herald.newUser()
  const said = { subscriberid: user.subscriberId }
  const event = mention([user.id], { ...said, time: minutesAgo(60) })
  const of = { notificationId: derivedId(event), recipientId: user.id }
  const tell = (kind: typeof emailSent | typeof read, time: string, encode = structured) =>
    herald.publish(herald.topics.receipt, [encode(receipt(kind, { ...said, time }, of))])
  const publish = () => herald.publish(herald.topics.mention, [structured(event)])
  return { user, id: of.notificationId, publish, tell }
}

async function seen(user: User, id: string): Promise<Notification | undefined> {
  const answer = await user.get(`/notifications/${id}`)
  return answer.status === 200 ? (answer.json as { data: Notification }).data : undefined
}

const untilSeen = (user: User, id: string, wanted: Partial<Notification>) =>
  eventually(async () => {
    const notification = await seen(user, id)
    expect(notification).toMatchObject(wanted)
    return notification
  })

test.each([
  ['structured', structured],
  ['binary', binary],
])('an e-mail receipt in %s mode gives the notification its time, and marks nothing', async (_, encode) => {
  const { user, id, publish, tell } = await someoneMentioned()
  await publish()
  const before = await untilSeen(user, id, { emailSentAt: null })
  const time = minutesAgo(30)
  await tell(emailSent, time, encode)
  expect(await untilSeen(user, id, { emailSentAt: toSeconds(time) })).toStrictEqual({
    ...before,
    emailSentAt: toSeconds(time),
  })
})

test('of several e-mail receipts the earliest stands, in whatever order they come', async () => {
  const { user, id, publish, tell } = await someoneMentioned()
  await publish()
  const [later, earlier, latest] = [minutesAgo(20), minutesAgo(40), minutesAgo(10)]
  await tell(emailSent, later)
  await untilSeen(user, id, { emailSentAt: toSeconds(later) })
  await tell(emailSent, latest)
  await tell(emailSent, earlier)
  await untilSeen(user, id, { emailSentAt: toSeconds(earlier) })
})

test('receipts that come before their notification wait for it', async () => {
  const { user, id, publish, tell } = await someoneMentioned()
  const [sent, readAt] = [minutesAgo(50), minutesAgo(45)]
  await tell(emailSent, sent)
  await tell(read, readAt)
  await eventually(async () => (await herald.progress()).isAtEnd, { what: 'the receipts are worked off' })
  await publish()
  await untilSeen(user, id, { emailSentAt: toSeconds(sent), readAt: toSeconds(readAt) })
})

test('a read receipt marks as read at its time, but one older than a mark of the user’s changes nothing', async () => {
  const { user, id, publish, tell } = await someoneMentioned()
  await publish()
  const readAt = minutesAgo(30)
  await tell(read, readAt)
  await untilSeen(user, id, { readAt: toSeconds(readAt) })
  await user.patch(`/notifications/${id}/unread`)
  // A replay of the same, and one that is older than the mark; the e-mail receipt behind them shows that both were seen.
  await tell(read, readAt)
  await tell(read, minutesAgo(1))
  const sent = minutesAgo(2)
  await tell(emailSent, sent)
  const after = await untilSeen(user, id, { emailSentAt: toSeconds(sent) })
  expect(after.readAt).toBeNull()
})

test('a receipt of another subscriber’s, or for somebody who is no recipient, changes nothing', async () => {
  const { user, id, publish, tell } = await someoneMentioned()
  await publish()
  const before = await untilSeen(user, id, { emailSentAt: null })
  const time = minutesAgo(30)
  const strange = [
    receipt(emailSent, { subscriberid: randomUUID(), time }, { notificationId: id, recipientId: user.id }),
    receipt(read, { subscriberid: user.subscriberId, time }, { notificationId: id, recipientId: randomUUID() }),
  ]
  await herald.publish(herald.topics.receipt, strange.map(structured))
  const own = minutesAgo(20)
  await tell(emailSent, own)
  expect(await untilSeen(user, id, { emailSentAt: toSeconds(own) })).toStrictEqual({
    ...before,
    emailSentAt: toSeconds(own),
  })
})
