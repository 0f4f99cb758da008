import { randomUUID } from 'node:crypto'
import { eventually, mustHave } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startBetween } from './between.ts'
import { findFirefox, startFirefox } from './firefox.ts'
import { prepareStage } from './prepare-stage.ts'

const stage = await prepareStage()
const file = findFirefox()
if (file === undefined && mustHave('firefox-esr'))
  throw new Error('HERALD_MUST_HAVE requires Firefox, which was not found.')
const inFirefox = file === undefined ? test.skip : test

let firefox: Awaited<ReturnType<typeof startFirefox>> | undefined
let between: Awaited<ReturnType<typeof startBetween>>
beforeAll(async () => {
  between = await startBetween(stage.herald.baseUrl)
  if (file !== undefined) firefox = await startFirefox(file)
})
afterAll(async () => {
  await firefox?.stop()
  await between.stop()
})

const mention = (user: string, text: string) => stage.publishMentions(user, [{ text }])
const streams = () => between.requests.filter(({ path }) => path === '/notifications/stream')

/** Opens a tab with the inbox. */
async function openTab() {
  if (firefox === undefined) throw new Error('Firefox was not started.')
  const tab = await firefox.open(between.url)
  const inbox = `document.querySelector('herald-inbox')`
  const bell = () => tab.evaluate<string>(`${inbox}.shadowRoot.querySelector('button.bell').ariaLabel`)
  const first = () =>
    tab.evaluate<string | undefined>(`${inbox}.shadowRoot.querySelector('article')?.textContent ?? ''`)
  return {
    ...tab,
    show: () => tab.evaluate(`${inbox}.show()`),
    untilUnread: (count: number) => eventually(async () => (await bell()) === `Notifications, ${count} unread`),
    untilFirst: (text: string) => eventually(async () => (await first())?.includes(text)),
  }
}

async function signIn(): Promise<string> {
  const user = randomUUID()
  await stage.mentionOften(user, 2)
  between.signIn(await stage.herald.tokens.sign({ subscriber_id: stage.account.subscriberId, sub: user }))
  return user
}

inFirefox('Firefox: comes back by itself after a 401 of whoever is in the path', async () => {
  const user = await signIn()
  const tab = await openTab()
  await tab.untilUnread(2)
  between.setMode(401)
  await tab.evaluate(`window.dispatchEvent(new Event('online'))`)
  await eventually(() => streams().some(({ mode }) => mode === 401))
  await mention(user, 'Sent while it was refused')
  between.setMode('passes')
  await tab.untilUnread(3)
  await tab.close()
})

inFirefox('Firefox: tabs share one stream, also after the one that held it is closed', async () => {
  const user = await signIn()
  const first = await openTab()
  const others = [await openTab(), await openTab()]
  for (const tab of [first, ...others]) {
    await tab.untilUnread(2)
    await tab.show()
  }
  expect(between.streams()).toBe(1)
  await mention(user, 'For all tabs')
  for (const tab of [first, ...others]) await tab.untilFirst('For all tabs')
  const before = streams().length
  await first.close()
  await eventually(() => streams().length > before && between.streams() === 1)
  await mention(user, 'For those that are left')
  for (const tab of others) await tab.untilFirst('For those that are left')
  expect(between.streams()).toBe(1)
})
