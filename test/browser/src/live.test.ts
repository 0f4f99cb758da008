import { expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import type { Page } from 'playwright-core'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'

const stage = await prepareStage()

/** Records the times at which notifications reach the page. */
async function clockArrivals(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const arrivals: number[] = []
    Object.assign(globalThis, { arrivals })
    document.addEventListener('herald-notification', () => arrivals.push(Date.now()))
  })
  return () => page.evaluate(() => (globalThis as unknown as { arrivals: number[] }).arrivals)
}

test('a mention published to Kafka reaches the other user’s open window', async () => {
  const [mei, amara] = [await stage.openAs('mei'), await stage.openAs('amara')]
  const inbox = inboxOf(amara)
  await inbox.untilUnread(4)
  const arrivals = await clockArrivals(amara)

  const sent: number[] = []
  for (const [index, text] of ['one', 'two', 'three', 'four', 'five'].entries()) {
    await mei.locator('textarea').fill(`Look at number ${text}`)
    sent.push(Date.now())
    await mei.locator('button.send').click()
    await inbox.untilUnread(5 + index)
    await mei.locator('button.send:enabled').waitFor()
  }
  const took = (await arrivals()).map((at, index) => at - (sent[index] ?? 0))
  process.stderr.write(`From the click to the other window: ${took.join(', ')} ms\n`)
  // The times are printed only: a busy machine delays every process on the way.
  expect(took).toHaveLength(5)

  await inbox.open()
  expect(await inbox.first.innerText()).toContain('Mei Tanaka mentioned you in a comment')
  expect(await inbox.first.innerText()).toContain('Look at number five')
  await stage.mention('mei', ['amara'], 'While it is open')
  await inbox.first.getByText('While it is open').waitFor()
  await inbox.spoken.getByText('New notification from Mei Tanaka').waitFor()
  expect(await inbox.isUnread(0)).toBe(true)
  await stage.keepPicture(amara, 'live-arrived')
  await stage.keepPicture(mei, 'live-sent')
  for (const page of [mei, amara]) await page.context().close()
})

test('synchronizes marks between windows, single and all', async () => {
  const [one, other] = [await stage.openAs('jonas'), await stage.openAs('jonas')]
  const [here, there] = [inboxOf(one), inboxOf(other)]
  await here.open()
  await there.open()
  await there.untilUnread(4)

  await here.first.getByRole('button', { name: 'Mark as read', exact: true }).click()
  await there.untilUnread(3)
  await there.first.getByRole('button', { name: 'Mark as unread' }).waitFor()
  await there.first.getByRole('button', { name: 'Mark as unread' }).click()
  await here.untilUnread(4)
  await here.first.getByRole('button', { name: 'Mark as read', exact: true }).waitFor()

  await here.panel.getByRole('button', { name: 'Mark all as read' }).click()
  await there.untilUnread(0)
  await expect(there.panel.locator('.dot').count()).resolves.toBe(0)
  expect(await there.badge.count()).toBe(0)
  for (const page of [one, other]) await page.context().close()
})

test('shows a notification sent while offline exactly once after reconnecting', async () => {
  const page = await stage.openAs('amara')
  const inbox = inboxOf(page)
  await inbox.open()
  const before = await inbox.items.count()
  await page.context().setOffline(true)
  await inbox.panel.getByText('No connection').waitFor()
  await stage.keepPicture(page, 'offline')
  await stage.mention('jonas', ['amara'], 'Sent while you were away')
  await page.context().setOffline(false)
  await inbox.first.getByText('Sent while you were away').waitFor()
  await inbox.panel.getByText('No connection').waitFor({ state: 'detached' })
  await inbox.spoken.getByText('The connection is back').waitFor()
  expect(await inbox.items.count()).toBe(before + 1)
  await page.context().close()
})

test('loses no notification when the server crashes and restarts', async () => {
  const page = await stage.openAs('amara')
  const inbox = inboxOf(page)
  await inbox.open()
  const { query } = stage.herald
  query.kill('SIGKILL')
  await query.exited
  await inbox.panel.getByText('No connection').waitFor()
  await stage.mention('jonas', ['amara'], 'Sent while the server was gone')
  await query.restart()
  await inbox.first.getByText('Sent while the server was gone').waitFor()
  await page.context().close()
})

test('fetches the list again when the stream position is gone', async () => {
  const page = await stage.openAs('amara')
  const inbox = inboxOf(page)
  await inbox.open()
  const { query } = stage.herald
  query.kill('SIGKILL')
  await query.exited
  const mongo = await new MongoClient(stage.servers.mongodbUri).connect()
  // Without its key, no issued event id is valid: resuming with one leads to `reset`.
  await mongo.db(stage.database).collection('stream-keys').deleteMany({})
  await mongo.close()
  await stage.mention('mei', ['amara'], 'Only in the list')
  await query.restart()
  await inbox.first.getByText('Only in the list').waitFor()
  await page.context().close()
})
