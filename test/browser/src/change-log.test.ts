import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { eventually } from '@herald/test-servers'
import { describe, expect, test } from '@jest/globals'
import type { Locator, Page } from 'playwright-core'
import { accessibilityViolations } from './axe.ts'
import { prepareStage } from './prepare-stage.ts'
import { narrow, type Scheme, schemes, wide } from './stage.ts'

const stage = await prepareStage()

const logOf = (page: Page) => page.locator('herald-change-log')
const entriesOf = (page: Page) => logOf(page).locator('li.entry')
const openLog = (options = {}, claims: object = {}) => stage.openHost(['herald-change-log'], claims, options)
/** Waits until the list is current and its number of entries is in the range; the filters change before the list does. */
const untilEntries = (page: Page, least: number, most = least) =>
  page.waitForFunction(
    ([least, most]) => {
      const log = document.querySelector('herald-change-log')?.shadowRoot
      const count = log?.querySelectorAll('.list:not(.stale) li.entry').length ?? 0
      return least <= count && count <= most
    },
    [least, most] as const,
  )

/** Refreshes until ingest has stored all published changes. */
async function untilLogged(page: Page, count: number): Promise<void> {
  await eventually(
    async () => {
      await logOf(page).getByRole('button', { name: 'Refresh' }).click()
      return (await entriesOf(page).count()) === count
    },
    { within: 60_000, every: 500, description: `${count} entries` },
  )
  await untilEntries(page, count)
}

async function check(page: Page, name: string) {
  await stage.keepPicture(page, name)
  expect(await accessibilityViolations(page)).toEqual([])
}

/** Entries as captured changes make them: whole rows without a field, of users of whom only an id is known. */
const row = {
  id: 7,
  name: 'Nordic Growth',
  status: 'draft',
  note: null,
  balance: '9007199254740993',
  is_open: true,
  code: '',
  address: { street: '1 Long Street, behind the second gate', city: 'Oslo', zip: '0150', country: 'Norway' },
  ...Object.fromEntries(Array.from({ length: 18 }, (_, index) => [`column_${index}`, `value ${index}`])),
}
const capturedUser = { id: randomUUID(), name: '', email: '' }
const ofRow = { user: capturedUser, entityType: 'fund', entityId: '7', entityTitle: row.name, changedField: '' }
const capturedChanges = [
  { ...ofRow, actionType: 'create', beforeState: null, afterState: row },
  { ...ofRow, actionType: 'update', changedField: 'status', beforeState: 'draft', afterState: 'open' },
  { ...ofRow, actionType: 'delete', beforeState: row, afterState: null },
  { ...ofRow, actionType: 'delete', beforeState: {}, afterState: null },
]

describe.each(schemes)('accessible in every state, %s', (colorScheme: Scheme) => {
  const named = (state: string) => `change-log-${state}-${colorScheme}`

  test.each([
    ['wide', wide],
    ['narrow', narrow],
  ])('with changes and filters, %s', async (name, viewport) => {
    const page = await openLog({ colorScheme, viewport })
    await entriesOf(page).first().waitFor()
    await check(page, named(`list-${name}`))
    await logOf(page).getByRole('button', { name: 'Filters' }).click()
    await entriesOf(page).first().getByRole('button', { name: 'valuation' }).click()
    await logOf(page).getByRole('button', { name: 'Remove filter Field: valuation' }).waitFor()
    await untilEntries(page, 5)
    await check(page, named(`filters-${name}`))
    await page.context().close()
  })

  test.each([
    ['wide', wide],
    ['narrow', narrow],
  ])('with created and deleted records, %s', async (name, viewport) => {
    const subscriberId = randomUUID()
    await stage.publishChanges(subscriberId, capturedChanges)
    const page = await openLog({ colorScheme, viewport }, { subscriber_id: subscriberId })
    await untilLogged(page, capturedChanges.length)
    await check(page, named(`records-${name}`))
    await logOf(page).getByRole('button', { name: 'Show everything' }).first().click()
    await check(page, named(`records-whole-${name}`))
    await page.context().close()
  })

  test('without changes, without matches, and forbidden', async () => {
    const empty = await openLog({ colorScheme }, { subscriber_id: randomUUID() })
    await logOf(empty).getByText('No changes yet').waitFor()
    await check(empty, named('empty'))
    const filtered = await openLog({ colorScheme })
    await filtered.evaluate(() => {
      history.replaceState(null, '', `?show=herald-change-log&entityType=nothing${location.hash}`)
      dispatchEvent(new PopStateEvent('popstate'))
    })
    await logOf(filtered).getByText('No changes match').waitFor()
    await check(filtered, named('empty-filtered'))
    const forbidden = await openLog({ colorScheme }, { scope: '' })
    await logOf(forbidden).getByText('You’re not allowed to read it').waitFor()
    await check(forbidden, named('forbidden'))
    for (const page of [empty, filtered, forbidden]) await page.context().close()
  })

  test('while loading, after a failure, and after a retry', async () => {
    const { query } = stage.herald
    query.kill('SIGSTOP')
    const page = await openLog({ colorScheme })
    await logOf(page).getByRole('group', { name: 'Loading the change log' }).waitFor()
    await check(page, named('loading'))
    query.kill('SIGKILL')
    await query.exited
    await logOf(page).locator('[part=error]').getByText('The change log could not be loaded').waitFor()
    await check(page, named('failed'))
    await logOf(page).getByRole('button', { name: 'Export as CSV' }).click()
    await logOf(page).locator('[part=notice]').getByText('The export failed').waitFor()
    await check(page, named('export-failed'))
    await query.restart()
    await logOf(page).getByRole('button', { name: 'Try again' }).click()
    await entriesOf(page).first().waitFor()
    await page.context().close()
  })
})

test('shows created and deleted records as tables', async () => {
  const subscriberId = randomUUID()
  await stage.publishChanges(subscriberId, capturedChanges)
  const page = await openLog({}, { subscriber_id: subscriberId })
  await untilLogged(page, capturedChanges.length)
  const [empty, deleted, updated, created] = [0, 1, 2, 3].map((at) => entriesOf(page).nth(at))
  expect(await sentence(created)).toBe(`${capturedUser.id} added the record`)
  expect(await sentence(updated)).toBe(`${capturedUser.id} changed status`)
  expect(await sentence(deleted)).toBe(`${capturedUser.id} removed the record`)
  expect(await empty?.locator('.difference').innerText()).toBe('No fields')

  const table = created?.getByRole('table', { name: 'Values of the new record' }) as Locator
  const rows = async (of: Locator) =>
    Promise.all((await of.getByRole('row').all()).map(async (one) => (await one.innerText()).split('\t')))
  expect((await rows(table)).slice(0, 7)).toEqual([
    ['id', '7'],
    ['name', 'Nordic Growth'],
    ['status', 'draft'],
    ['note', 'nothing'],
    ['balance', '"9007199254740993"'],
    ['is_open', 'true'],
    ['code', '""'],
  ])
  expect(await rows(table)).toHaveLength(24)
  await created?.getByRole('button', { name: 'Show everything' }).click()
  expect(await rows(table)).toHaveLength(Object.keys(row).length)
  const last = deleted?.getByRole('table', { name: 'Last values of the record' }) as Locator
  expect((await rows(last))[1]).toEqual(['name', 'Nordic Growth'])

  // An entry without a field offers no filter by it, and neither does the form.
  expect(await created?.locator('.sentence button').count()).toBe(1)
  await logOf(page).getByRole('button', { name: 'Filters' }).click()
  const suggested = await logOf(page).locator('#seen-changedField option').all()
  expect(await Promise.all(suggested.map((option) => option.getAttribute('value')))).toEqual(['status'])
  await page.context().close()
})

test('offers nothing of another subscriber in its filters after another token', async () => {
  const ids = [randomUUID(), randomUUID()] as const
  const entry = { ...capturedChanges[1], user: { id: randomUUID(), name: 'Ada of the first', email: '' } }
  await stage.publishChanges(ids[0], [{ ...entry, entityType: 'secret merger' }])
  await stage.publishChanges(ids[1], [entry])
  const page = await openLog({}, { subscriber_id: ids[0] })
  await untilLogged(page, 1)
  const suggested = () =>
    logOf(page)
      .locator('datalist option')
      .evaluateAll((options) => options.map((option) => option.outerHTML).join())
  await logOf(page).getByRole('button', { name: 'Filters' }).click()
  expect(await suggested()).toContain('secret merger')
  const token = await stage.herald.tokens.sign({ subscriber_id: ids[1] })
  await page.evaluate(
    (next) => Object.assign(document.querySelector('herald-change-log') as Element, { token: next }),
    token,
  )
  await untilLogged(page, 1)
  await entriesOf(page).getByText('Nordic Growth').waitFor()
  expect(await suggested()).not.toContain('secret merger')
  await page.context().close()
})

const sentence = async (entry: Locator | undefined) =>
  (await entry?.locator('.sentence').innerText())?.replaceAll(/\s+/g, ' ')

test('shows the difference of objects, arrays and texts', async () => {
  const page = await openLog()
  await entriesOf(page).first().waitFor()
  const rows = async (field: string) => {
    const entry = entriesOf(page)
      .filter({ has: page.getByRole('button', { name: field, exact: true }) })
      .first()
    return (await entry.locator('.difference').innerText())
      .split('\n')
      .map((line) => line.trim())
      .join(' ')
  }
  expect(await rows('valuation')).toMatch(
    /amount Before: 41500000 ?→ ?After: 43250000 multiples ebitda Before: 8.4 ?→ ?After: 8.75 1 unchanged 2 unchanged/,
  )
  expect(await rows('tags')).toMatch(/\[2\] Before: watchlist ?→ ?After: nordics 2 unchanged/)
  expect(await rows('note')).toBe('Removed: Waiting for the auditors.')
  expect(await rows('covenants')).toMatch(/limit Before: 4.5 ?→ ?After: 4.25 .*Added: \[2\] name Added: Liquidity/)
  const summary = entriesOf(page).filter({ hasText: 'The fund holds' }).first()
  expect(await summary.locator('.text del').allTextContents()).toContain('Removed: six')
  expect(await summary.locator('.text ins').allTextContents()).toContain('Added: seven')
  await page.context().close()
})

test('loads older entries near the end of the list', async () => {
  const page = await openLog()
  await entriesOf(page).first().waitFor()
  expect(await entriesOf(page).count()).toBe(30)
  // A key that is pressed before the first frame of the list scrolls to where the page ended before.
  await eventually(async () => {
    await page.keyboard.press('End')
    return logOf(page).getByText('The log begins here').isVisible()
  })
  expect(await entriesOf(page).count()).toBe(50)
  await page.context().close()
})

test('keeps filters in the address bar across reloads and going back', async () => {
  const page = await stage.openAs('mei')
  await untilEntries(page, 30)
  await logOf(page).getByRole('button', { name: 'Filters' }).click()
  await logOf(page).getByLabel('Field').fill('status')
  await logOf(page).getByLabel('Field').press('Enter')
  await logOf(page).getByRole('button', { name: 'Remove filter Field: status' }).waitFor()
  await untilEntries(page, 5)
  expect(new URL(page.url()).searchParams.get('changedField')).toBe('status')
  expect(new URL(page.url()).searchParams.get('as')).toBe('mei')

  await page.reload()
  await untilEntries(page, 5)
  await entriesOf(page).first().locator('.sentence button').first().click()
  const person = await entriesOf(page).first().locator('.sentence b').first().innerText()
  await logOf(page)
    .getByRole('button', { name: `Remove filter Person: ${person}` })
    .waitFor()
  expect(new URL(page.url()).searchParams.get('userId')).toMatch(/^[0-9a-f-]{36}$/)
  await untilEntries(page, 1, 4)

  await page.goBack()
  await untilEntries(page, 5)
  await logOf(page).getByRole('button', { name: 'Remove filter Field: status' }).click()
  await untilEntries(page, 30)
  expect(new URL(page.url()).search).toBe('?as=mei')
  await page.context().close()
})

test('exports the filtered entries, with the token in a header', async () => {
  const page = await stage.openAs('mei')
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  await untilEntries(page, 30)
  await entriesOf(page).first().getByRole('button', { name: 'valuation' }).click()
  await untilEntries(page, 5)
  const save = async (format: string) => {
    const downloaded = page.waitForEvent('download')
    await logOf(page)
      .getByRole('button', { name: `Export as ${format}` })
      .click()
    const download = await downloaded
    const text = await readFile(await download.path(), 'utf8')
    await logOf(page).getByText(`${download.suggestedFilename()} is ready`).waitFor()
    return { name: download.suggestedFilename(), text }
  }
  const csv = await save('CSV')
  expect(csv.name).toMatch(/^change-log-\d{4}-\d\d-\d\d\.csv$/)
  expect(csv.text.trim().split('\n')).toHaveLength(6)
  const ndjson = await save('NDJSON')
  const lines = ndjson.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ changedField }) => changedField)).toEqual(Array(5).fill('valuation'))
  const json = await save('JSON')
  expect(JSON.parse(json.text).data).toEqual(lines)
  expect(urls.filter((url) => /eyJ|token/i.test(url))).toEqual([])
  await page.context().close()
})
