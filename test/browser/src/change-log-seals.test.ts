import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createHeraldClient } from '@herald/client'
import { hashLeaf, openCheckpoint, readVerifierKey, verifyInclusion } from '@herald/sealed-log'
import { eventually } from '@herald/test-servers'
import { describe, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import type { Page } from 'playwright-core'
import { accessibilityViolations } from './axe.ts'
import { prepareStage } from './prepare-stage.ts'
import { narrow, type Scheme, schemes, wide } from './stage.ts'

const stage = await prepareStage()

const logOf = (page: Page) => page.locator('herald-change-log')
const sealsOf = (page: Page) => logOf(page).locator('[part=seal]')
const open = (subscriberId: string, options = {}) =>
  stage.openHost(['herald-change-log'], { subscriber_id: subscriberId }, options)
const clientOf = (subscriberId: string) =>
  createHeraldClient({
    baseUrl: stage.herald.baseUrl,
    token: () => stage.herald.tokens.sign({ subscriber_id: subscriberId }),
  }).changeEntries

const user = { id: randomUUID(), name: 'Ada Lovelace', email: 'ada@example.com' }
const change = (entityTitle: string) => ({
  user,
  entityType: 'fund',
  entityId: 'f-1',
  entityTitle,
  actionType: 'update',
  changedField: 'status',
  beforeState: 'draft',
  afterState: { status: 'open', größe: 1.5e-7, tags: ['a', null] },
})

/** Publishes changes, the first one being the oldest, and waits until they are stored. */
async function publish(subscriberId: string, ...titles: readonly string[]): Promise<void> {
  const count = async () => (await clientOf(subscriberId).list()).changeEntries.length
  const before = await count()
  await stage.publishChanges(subscriberId, titles.map(change))
  await eventually(async () => (await count()) === before + titles.length, { within: 60_000 })
}

/** Waits until the checkpoint has a size. */
const untilSealed = (subscriberId: string, size: number) =>
  eventually(
    async () => {
      const checkpoint = await clientOf(subscriberId)
        .checkpoint()
        .catch(() => '')
      return Number(checkpoint.split('\n')[1]) === size
    },
    { within: 60_000, description: `a checkpoint of size ${size}` },
  )

async function sealedLog(...titles: readonly string[]): Promise<string> {
  const subscriberId = randomUUID()
  await publish(subscriberId, ...titles)
  await untilSealed(subscriberId, titles.length)
  return subscriberId
}

/** Runs while the sealer is frozen, so that nothing new is sealed. */
async function whileFrozen(work: () => Promise<void>): Promise<void> {
  stage.herald.seal.kill('SIGSTOP')
  try {
    await work()
  } finally {
    stage.herald.seal.kill('SIGCONT')
  }
}

const unaltered = /^Sealed and unaltered, checkpoint read at \d/

test('a new entry is not sealed yet, and becomes sealed without a reload', async () => {
  const subscriberId = await sealedLog('First')
  let page: Page | undefined
  await whileFrozen(async () => {
    await publish(subscriberId, 'Second')
    page = await open(subscriberId)
    await sealsOf(page).nth(0).getByText('Not sealed yet').waitFor()
    await sealsOf(page).nth(1).getByText(unaltered).waitFor()
    expect(await sealsOf(page).nth(0).getByRole('button').count()).toBe(1)
  })
  await sealsOf(page as Page)
    .nth(0)
    .getByText(unaltered)
    .waitFor()
  await page?.context().close()
})

test('nothing is sealed before the first checkpoint', async () => {
  await whileFrozen(async () => {
    const subscriberId = randomUUID()
    await publish(subscriberId, 'One', 'Two', 'Three', 'Four')
    const page = await open(subscriberId)
    await sealsOf(page).first().waitFor()
    expect(await sealsOf(page).allInnerTexts()).toEqual(Array(4).fill('Not sealed yet'))
    await page.context().close()
  })
})

test('an entry has room for its seal before it is shown', async () => {
  const subscriberId = await sealedLog('One', 'Two', 'Three', 'Four')
  const page = await open(subscriberId)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/change-entries/checkpoint', async (route) => {
    await held
    await route.continue()
  })
  await page.reload()
  const last = logOf(page).locator('li.entry').nth(3)
  await last.waitFor()
  const before = await last.boundingBox()
  expect(await sealsOf(page).count()).toBe(0)
  release()
  await sealsOf(page).nth(3).getByText('Check the seal').waitFor()
  expect((await last.boundingBox())?.height).toBe(before?.height)
  await page.context().close()
})

test('a list costs four requests, and one for each entry that the user asks for', async () => {
  const subscriberId = await sealedLog('One', 'Two', 'Three', 'Four', 'Five')
  const page = await open(subscriberId)
  await sealsOf(page).nth(2).getByText(unaltered).waitFor()
  expect(await sealsOf(page).nth(3).innerText()).toBe('Check the seal')

  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  const gets = () => asked.filter((request) => request.startsWith('GET'))
  const button = sealsOf(page).nth(3).getByRole('button').first()
  await button.focus()
  await page.keyboard.press('Enter')
  await sealsOf(page).nth(3).getByText(unaltered).waitFor()
  // Perhaps together with that of the list, which has just been loaded.
  await logOf(page)
    .locator('[role=status]')
    .getByText(/Sealed and unaltered, checkpoint read at \d/)
    .waitFor()
  expect(await button.evaluate((element) => element.matches(':focus'))).toBe(true)
  expect(gets()).toHaveLength(1)

  asked.length = 0
  await logOf(page).getByRole('button', { name: 'Refresh' }).click()
  await sealsOf(page).nth(3).getByText('Check the seal').waitFor()
  await sealsOf(page).nth(2).getByText(unaltered).waitFor()
  expect(gets()).toEqual([
    'GET /change-entries',
    'GET /change-entries/checkpoint',
    ...Array(3).fill(expect.stringMatching(/^GET \/change-entries\/[0-9a-f-]{36}\/proof$/)),
  ])
  await page.context().close()
})

test('the proof of an entry can be downloaded, and verified without Herald', async () => {
  const subscriberId = await sealedLog('One', 'Two', 'Three')
  const page = await open(subscriberId)
  const [, entry] = (await clientOf(subscriberId).list()).changeEntries
  const { name, content } = await downloadProof(page)
  const [extra = '', index, ...hashes] = content.split('\n\n')[0]?.split('\n').slice(1) ?? []
  const leaf = Buffer.from(extra.replace('extra ', ''), 'base64')
  expect([name, leaf.includes(String(entry?.id))]).toEqual([`proof-${entry?.id}.tlog-proof`, true])

  const [key = ''] = await clientOf(subscriberId).checkpointKeys()
  const read = readVerifierKey(key)
  if (!read.ok) throw new Error(read.detail)
  const opened = openCheckpoint(content.slice(content.indexOf('\n\n') + 2), [read.key])
  if (!opened.ok) throw new Error(opened.detail)
  const path = hashes.map((text) => Buffer.from(text, 'base64'))
  const proof = { index: Number(index?.replace('index ', '')), leafHash: hashLeaf(leaf), hashes: path }
  expect(verifyInclusion({ ...proof, ...opened.checkpoint })).toBe(true)

  // As for an entry whose user was erased.
  await page.route('**/proof', (route, request) =>
    request.headers().accept === 'text/plain' ? route.fulfill({ status: 404 }) : route.continue(),
  )
  const json = await downloadProof(page)
  expect(json.name).toBe(`proof-${entry?.id}.json`)
  expect(JSON.parse(json.content).data.leafHash).toBe(hashLeaf(leaf).toString('base64'))
  await page.context().close()
})

/** Downloads the proof of the second entry. */
async function downloadProof(page: Page): Promise<{ name: string; content: string }> {
  const downloaded = page.waitForEvent('download')
  await sealsOf(page).nth(1).getByRole('button', { name: 'Download proof' }).click()
  const download = await downloaded
  return { name: download.suggestedFilename(), content: await readFile(await download.path(), 'utf8') }
}

test('a seal cannot be checked while Herald is away, and can be afterwards', async () => {
  const subscriberId = await sealedLog('One', 'Two', 'Three', 'Four')
  const page = await open(subscriberId)
  await sealsOf(page).nth(2).getByText(unaltered).waitFor()
  const { query } = stage.herald
  query.kill('SIGKILL')
  await query.exited
  await page.evaluate(() => {
    addEventListener('herald-error', (event) => {
      document.title = (event as CustomEvent<{ during: string }>).detail.during
    })
  })
  await sealsOf(page).nth(3).getByRole('button').click()
  await sealsOf(page).nth(3).getByText('The seal could not be checked. Try again').waitFor()
  expect(await page.title()).toBe('seal')
  await query.restart()
  await sealsOf(page).nth(3).getByRole('button').click()
  await sealsOf(page).nth(3).getByText(unaltered).waitFor()
  await page.context().close()
})

test('shows nothing and asks for nothing with `no-seals`', async () => {
  const subscriberId = await sealedLog('One')
  const token = await stage.herald.tokens.sign({ subscriber_id: subscriberId })
  const page = await stage.openContent(`<!doctype html><html lang="en"><title>Host</title>
    <script type="module" src="/herald-inbox.min.js"></script>
    <herald-change-log no-seals base-url="${stage.herald.baseUrl}"></herald-change-log>`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await logOf(page).evaluate((log, token) => Object.assign(log, { token }), token)
  await logOf(page).locator('li.entry').waitFor()
  await logOf(page).getByRole('button', { name: 'Refresh' }).click()
  await eventually(() => asked.length >= 2)
  await logOf(page).locator('.list:not(.stale)').waitFor()
  expect(await sealsOf(page).count()).toBe(0)
  expect(new Set(asked)).toEqual(new Set(['/change-entries']))
  await page.context().close()
})

test('shows nothing where sealing is off', async () => {
  const mongo = await new MongoClient(stage.servers.mongodbUri).connect()
  // A sealer with a key notes this at its start.
  const state = mongo.db(stage.database).collection<{ _id: string }>('log-state')
  const sealing = await state.findOneAndDelete({ _id: 'sealing' })
  try {
    await whileFrozen(async () => {
      const subscriberId = randomUUID()
      await publish(subscriberId, 'One')
      const page = await open(subscriberId)
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      const answered = page.waitForResponse((response) => response.url().endsWith('/change-entries/checkpoint'))
      await page.reload()
      expect([(await answered).status(), (await (await answered).json()).code]).toEqual([404, 'sealing_off'])
      const refresh = async () => {
        asked.length = 0
        await logOf(page).getByRole('button', { name: 'Refresh' }).click()
        await logOf(page).locator('.list:not(.stale) li.entry').waitFor()
        return asked.filter((path) => path.includes('change-entries/'))
      }
      // Once the page has taken notice of the answer, it asks no more.
      await eventually(async () => (await refresh()).length === 0)
      expect(await refresh()).toEqual([])
      expect(await sealsOf(page).count()).toBe(0)
      await page.context().close()
    })
  } finally {
    if (sealing) await state.insertOne(sealing)
    await mongo.close()
  }
})

describe.each(schemes)('accessible in every state, %s', (colorScheme: Scheme) => {
  test.each([
    ['wide', wide],
    ['narrow', narrow],
  ])('%s', async (name, viewport) => {
    const subscriberId = await sealedLog('One', 'Two', 'Three', 'Four')
    await whileFrozen(async () => {
      await publish(subscriberId, 'Five')
      const page = await open(subscriberId, { colorScheme, viewport })
      await sealsOf(page).nth(2).getByText(unaltered).waitFor()
      await stage.keepPicture(page, `change-log-seals-${name}-${colorScheme}`)
      expect(await accessibilityViolations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
      await page.context().close()
    })
  })
})

test('in German, and from right to left', async () => {
  const subscriberId = await sealedLog('One', 'Two', 'Three', 'Four')
  const page = await open(subscriberId)
  await logOf(page).evaluate((log) => log.setAttribute('locale', 'de'))
  await sealsOf(page)
    .first()
    .getByText(/^Versiegelt und unverändert, Prüfpunkt um \d\d:\d\d gelesen$/)
    .waitFor()
  await sealsOf(page).first().getByRole('button', { name: 'Nachweis herunterladen' }).waitFor()
  expect(await sealsOf(page).nth(3).innerText()).toBe('Siegel prüfen')
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl'
  })
  const [seal, avatar] = [
    await sealsOf(page).first().boundingBox(),
    await logOf(page).locator('.avatar').first().boundingBox(),
  ]
  if (!seal || !avatar) throw new Error('The entry is not visible')
  expect(seal.x + seal.width).toBeLessThanOrEqual(avatar.x)
  await stage.keepPicture(page, 'change-log-seals-right-to-left')
  expect(await accessibilityViolations(page)).toEqual([])
  await page.context().close()
})
