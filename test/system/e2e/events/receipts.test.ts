import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { derivedId } from '../support/derived-id.ts'
import { binary, mention, receipt, structured } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import { type Notification, toSeconds } from '../support/spec-shapes.ts'
import type { User } from '../support/user.ts'

const [emailSent, read] = ['herald.email.sent.v1', 'herald.notification.read.v1'] as const
let herald: TestHerald

beforeAll(async () => {
  herald = await useSharedHerald()
})
afterAll(() => herald?.disconnect())

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

/** A user and an hour-old mention of the user that is not published yet, with functions to publish it and its receipts. */
async function prepareMention() {
  const user = await herald.newUser()
  const subscriber = { subscriberid: user.subscriberId }
  const event = mention([user.id], { ...subscriber, time: minutesAgo(60) })
  const target = { notificationId: derivedId(event), recipientId: user.id }
  const publishReceipt = (kind: typeof emailSent | typeof read, time: string, encode = structured) =>
    herald.publish(herald.topics.receipt, [encode(receipt(kind, { ...subscriber, time }, target))])
  const publish = () => herald.publish(herald.topics.mention, [structured(event)])
  return { user, id: target.notificationId, publish, publishReceipt }
}

async function seen(user: User, id: string): Promise<Notification | undefined> {
  const answer = await user.get(`/notifications/${id}`)
  return answer.status === 200 ? (answer.json as { data: Notification }).data : undefined
}

const untilSeen = (user: User, id: string, expected: Partial<Notification>) =>
  eventually(async () => {
    const notification = await seen(user, id)
    expect(notification).toMatchObject(expected)
    return notification
  })

test.each([
  ['structured', structured],
  ['binary', binary],
])('an e-mail receipt in %s mode sets emailSentAt and nothing else', async (_, encode) => {
  const { user, id, publish, publishReceipt } = await prepareMention()
  await publish()
  const before = await untilSeen(user, id, { emailSentAt: null })
  const time = minutesAgo(30)
  await publishReceipt(emailSent, time, encode)
  expect(await untilSeen(user, id, { emailSentAt: toSeconds(time) })).toStrictEqual({
    ...before,
    emailSentAt: toSeconds(time),
  })
})

test('keeps the earliest of several e-mail receipts, in any order of arrival', async () => {
  const { user, id, publish, publishReceipt } = await prepareMention()
  await publish()
  const [later, earlier, latest] = [minutesAgo(20), minutesAgo(40), minutesAgo(10)]
  await publishReceipt(emailSent, later)
  await untilSeen(user, id, { emailSentAt: toSeconds(later) })
  await publishReceipt(emailSent, latest)
  await publishReceipt(emailSent, earlier)
  await untilSeen(user, id, { emailSentAt: toSeconds(earlier) })
})

test('applies receipts that arrive before their notification', async () => {
  const { user, id, publish, publishReceipt } = await prepareMention()
  const [sent, readAt] = [minutesAgo(50), minutesAgo(45)]
  await publishReceipt(emailSent, sent)
  await publishReceipt(read, readAt)
  await herald.untilConsumed()
  await publish()
  await untilSeen(user, id, { emailSentAt: toSeconds(sent), readAt: toSeconds(readAt) })
})

test('a read receipt marks as read at its time, unless the user marked the notification later', async () => {
  const { user, id, publish, publishReceipt } = await prepareMention()
  await publish()
  const readAt = minutesAgo(30)
  await publishReceipt(read, readAt)
  await untilSeen(user, id, { readAt: toSeconds(readAt) })
  await user.patch(`/notifications/${id}/unread`)
  // A replay, and a receipt older than the mark. The e-mail receipt after them shows that both were handled.
  await publishReceipt(read, readAt)
  await publishReceipt(read, minutesAgo(1))
  const sent = minutesAgo(2)
  await publishReceipt(emailSent, sent)
  const after = await untilSeen(user, id, { emailSentAt: toSeconds(sent) })
  expect(after.readAt).toBeNull()
})

test('a receipt of another subscriber or for another user changes nothing', async () => {
  const { user, id, publish, publishReceipt } = await prepareMention()
  await publish()
  const before = await untilSeen(user, id, { emailSentAt: null })
  const time = minutesAgo(30)
  const foreign = [
    receipt(emailSent, { subscriberid: randomUUID(), time }, { notificationId: id, recipientId: user.id }),
    receipt(read, { subscriberid: user.subscriberId, time }, { notificationId: id, recipientId: randomUUID() }),
  ]
  await herald.publish(herald.topics.receipt, foreign.map(structured))
  const own = minutesAgo(20)
  await publishReceipt(emailSent, own)
  expect(await untilSeen(user, id, { emailSentAt: toSeconds(own) })).toStrictEqual({
    ...before,
    emailSentAt: toSeconds(own),
  })
})
