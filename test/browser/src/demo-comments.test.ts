import { expect, test } from '@jest/globals'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'

const stage = await prepareStage()

test('a deleted comment vanishes from two open windows, from the list and from the count', async () => {
  const author = await stage.openAs('mei')
  const windows = [await stage.openAs('amara'), await stage.openAs('amara')]
  const inboxes = windows.map(inboxOf)
  for (const inbox of inboxes) {
    await inbox.untilUnread(4)
    await inbox.open()
  }
  await author.locator('textarea').fill('Written by mistake')
  await author.locator('button.send').click()
  for (const inbox of inboxes) {
    await inbox.untilUnread(5)
    await inbox.first.getByText('Written by mistake').waitFor()
  }
  const counts = await Promise.all(inboxes.map(({ items }) => items.count()))
  for (const page of windows) await page.locator('#comments').getByText('Written by mistake').waitFor()
  // Only its author can delete it.
  for (const page of windows) expect(await page.getByRole('button', { name: 'Delete comment' }).count()).toBe(0)
  await stage.keepPicture(author, 'demo-comment')

  await author.getByRole('button', { name: 'Delete comment' }).click()
  await author.locator('.trace li').getByText('herald.mention.retracted.v1').waitFor()
  for (const inbox of inboxes) {
    await inbox.untilUnread(4)
    await inbox.panel.getByText('Written by mistake').waitFor({ state: 'detached' })
  }
  expect(await Promise.all(inboxes.map(({ items }) => items.count()))).toEqual(counts.map((count) => count - 1))
  for (const page of [author, ...windows]) {
    await page.locator('#comments').getByText('Written by mistake').waitFor({ state: 'detached' })
    await page.context().close()
  }
})

test('accepts a deletion from the author only', async () => {
  await stage.mention('mei', ['jonas'], 'To stay')
  const { demoUrl } = stage.demo
  const { comments } = (await (await fetch(`${demoUrl}activity`)).json()) as { comments: { id: string }[] }
  const remove = (id: string | undefined, as: string) =>
    fetch(`${demoUrl}comments/${id}?as=${as}`, { method: 'DELETE' }).then(({ status }) => status)
  expect(await remove(comments[0]?.id, 'jonas')).toBe(403)
  expect(await remove(stage.account.subscriberId, 'mei')).toBe(404)
  expect(await remove(comments[0]?.id, 'mei')).toBe(200)
})

test('an unread mention arrives as an e-mail, after which the feed shows when it was sent', async () => {
  const page = await stage.openAs('amara')
  // Unread for 23 minutes, so the e-mail is due at once.
  const mails = page.locator('#mailbox li').filter({ hasText: 'Amara Okafor' })
  const mail = mails.filter({ hasText: 'Jonas Lindqvist mentioned you' })
  await mail.getByText('In the feed: e-mail sent at').waitFor()
  const link = (await mail.getByRole('link').getAttribute('href')) ?? ''
  const [, locationId] = /#[^/]+\/(.+)$/.exec(link) ?? []
  const token = await stage.herald.tokens.sign({
    sub: stage.account.otherUserId,
    subscriber_id: stage.account.subscriberId,
  })
  const response = await fetch(`${stage.herald.baseUrl}/`, { headers: { authorization: `Bearer ${token}` } })
  const { data } = (await response.json()) as {
    data: { notifications: { locationId: string; emailSentAt: string | null }[] }
  }
  const notification = data.notifications.find((each) => each.locationId === locationId)
  expect(notification?.emailSentAt).toEqual(expect.any(String))
  await mail.scrollIntoViewIfNeeded()
  await stage.keepPicture(page, 'demo-mailbox')

  await page.goto(link)
  await page.locator('.who [aria-current]').getByText('Amara').waitFor()
  await page.locator('#comments').getByText('or to a sample').waitFor()
  await page.context().close()
})
