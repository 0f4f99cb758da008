import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { HeraldInbox } from '@herald/react'
import { eventually } from '@herald/test-servers'
import { expect, test } from '@jest/globals'
import { build } from 'esbuild'
import type { Request } from 'playwright-core'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { inboxOf } from './inbox-page.ts'
import { prepareStage } from './prepare-stage.ts'

const stage = await prepareStage()
const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
// In this workspace, so that its packages are found.
const application = pathOf('../artefacts/react-application.tsx')

/** The README’s examples, with what they take from an application around them, in the mode that mounts everything twice. */
async function writeApplication(): Promise<void> {
  const readme = await readFile(pathOf('../../../packages/react/README.md'), 'utf8')
  const examples = [...readme.matchAll(/```tsx\n([\s\S]*?)```/g)].map(([, code]) => code)
  expect(examples).toHaveLength(3)
  const others = `
    import { StrictMode } from 'react'
    import { createRoot } from 'react-dom/client'
    const session = { accessToken: async () => (await fetch('/session/token')).text() }
    const setTitle = (count: number) => { document.title = String(count) }
    const root = createRoot(document.querySelector('main') as HTMLElement)
    root.render(<StrictMode><Header /><Mentions /><Places /></StrictMode>)
    Object.assign(globalThis, { unmount: () => root.unmount() })`
  await mkdir(pathOf('../artefacts/'), { recursive: true })
  const code = [...examples, others].join('\n').replaceAll('https://api.example/v1', stage.herald.baseUrl)
  await writeFile(application, code)
}

test('the README’s examples have the right types', async () => {
  await writeApplication()
  const settings = [
    '--noEmit',
    '--strict',
    '--jsx',
    'react-jsx',
    '--lib',
    'es2024,dom,dom.iterable',
    '--types',
    'react',
  ]
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2024', '--ignoreConfig']
  const { stdout } = await promisify(execFile)('npx', ['tsc', application, ...settings, ...modules]).catch(
    (error) => error,
  )
  expect(stdout).toBe('')
})

test('the README’s examples run with React 19 and leave nothing behind', async () => {
  await writeApplication()
  await stage.mentionOften(stage.account.userId, 30)
  const { outputFiles } = await build({
    entryPoints: [application],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"development"' },
    write: false,
  })
  const page = await stage.openContent('<!doctype html><html lang="en"><title>Host</title><main></main>')
  const streams = { opened: 0, ended: 0 }
  const isStream = (request: Request) => request.url().endsWith('/notifications/stream') && request.method() === 'GET'
  page.on('request', (request) => {
    if (isStream(request)) streams.opened++
  })
  const onEnd = (request: Request) => {
    if (isStream(request)) streams.ended++
  }
  page.on('requestfailed', onEnd).on('requestfinished', onEnd)
  await page.addScriptTag({ type: 'module', content: outputFiles[0]?.text ?? '' })
  const inbox = inboxOf(page)
  const unread = (count: number) => page.getByRole('heading', { name: `${count} unread`, exact: true }).waitFor()
  const rows = page.locator('main li')

  await inbox.untilUnread(34)
  await unread(34)
  expect(await page.title()).toBe('34')
  await rows.first().click()
  await unread(33)
  await inbox.untilUnread(33)
  await stage.mention('jonas', ['mei'], 'Seen by the hook')
  await rows.filter({ hasText: 'Jonas Lindqvist: Seen by the hook' }).waitFor()
  await unread(34)
  const shown = await rows.count()
  await page.getByRole('button', { name: 'Older ones' }).click()
  await eventually(async () => (await rows.count()) > shown)
  await inbox.open()
  expect(await inbox.first.locator('a.open').getAttribute('href')).toMatch(/^\/comment\/[0-9a-f-]{36}$/)
  await page.keyboard.press('Escape')
  const places = (count: number) => page.getByRole('heading', { name: `${count} places`, exact: true }).waitFor()
  const newest = page.locator('main article').first()
  await places(21)
  await newest.getByRole('button', { name: 'Archive' }).click()
  await places(20)
  await page.locator('main').getByRole('button', { name: 'Undo' }).click()
  await places(21)
  await newest.getByText('Seen by the hook').waitFor({ state: 'detached' })
  await newest.getByRole('button', { name: '1 of 1 unread' }).click()
  await newest.getByText('Seen by the hook').waitFor()
  await page.locator('main').getByRole('button', { name: 'Mark all as read' }).click()
  await unread(0)
  await inbox.untilUnread(0)

  // The element and both hooks share a stream.
  expect(streams.opened).toBeGreaterThan(0)
  await newest.getByRole('button', { name: 'Archive' }).click()
  await places(20)
  await page.evaluate(() => (globalThis as unknown as { unmount(): void }).unmount())
  // An archive that could still be undone is saved.
  const { notifications } = stage.clientOf(stage.account.userId)
  await eventually(async () => (await notifications.list({ archived: 'true' })).notifications.length === 1)
  await eventually(() => streams.ended === streams.opened)
  await page.context().close()
})

test('an inbox that a server has rendered has its properties and listeners in the page', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { HeraldInbox } from '@herald/react'
        import { createElement } from 'react'
        import { hydrateRoot } from 'react-dom/client'
        const token = async () => (await fetch('/session/token')).text()
        const onUnreadCount = ({ detail }) => { document.title = String(detail.unreadCount) }
        hydrateRoot(document.querySelector('main'), createElement(HeraldInbox, { baseUrl: ${JSON.stringify(stage.herald.baseUrl)}, token, onUnreadCount }))`,
      resolveDir: pathOf('.'),
    },
    bundle: true,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  })
  const rendered = renderToString(createElement(HeraldInbox, { baseUrl: stage.herald.baseUrl, token: 'secret' }))
  const page = await stage.openContent(`<!doctype html><html lang="en"><title>Host</title><main>${rendered}</main>`)
  await page.addScriptTag({ type: 'module', content: outputFiles[0]?.text ?? '' })
  const unread = await stage.clientOf(stage.account.userId).notifications.unreadCount()
  await inboxOf(page).untilUnread(unread)
  await page.waitForFunction((count) => document.title === String(count), unread)
  await page.context().close()
})
