import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { inboxOf } from './inbox-page.ts'
import { type Stage, startStage } from './stage.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const packages = ['client', 'web-components', 'react']

/** The README's example, extended to use every exported type. */
const application = `
import { type HeraldClient, createHeraldClient } from '@herald/client'
import { type ChangeLogTexts, type HeraldErrorEvent, type HeraldNotificationEvent, type InboxTexts, HeraldInbox, inboxTexts } from '@herald/inbox'

const client: HeraldClient = createHeraldClient({ baseUrl: location.hash.slice(1), token: async () => String(localStorage.token) })
const inbox: HeraldInbox = document.createElement('herald-inbox')
inbox.client = client
inbox.hrefOf = ({ locationType, locationId }) => \`#/\${locationType}/\${locationId}\`
inbox.texts = { title: inboxTexts.title, bell: (unread) => \`\${unread ?? 0} unread\` } satisfies Partial<InboxTexts>
inbox.addEventListener('herald-open-notification', (event) => {
  const { notification } = (event as HeraldNotificationEvent).detail
  document.title = notification.metadata.mention.snippet
})
inbox.addEventListener('herald-error', (event) => console.warn((event as HeraldErrorEvent).detail.during))
const log = document.createElement('herald-change-log')
log.texts = { title: 'Log' } satisfies Partial<ChangeLogTexts>
log.client = client
document.querySelector('main')?.append(inbox, log)
`

/** The code blocks of the package's README and of its page on languages, in one language. */
async function blocksOf(language: string): Promise<string[]> {
  const files = ['README.md', 'styling.md'].map((name) => readFile(join(root, 'packages/web-components', name), 'utf8'))
  const text = (await Promise.all(files)).join('\n')
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block]) => block ?? '')
}

let folder: string
let stage: Stage
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-packed-'))
  stage = await startStage()
  const workspaces = packages.flatMap((name) => ['-w', `packages/${name}`])
  // Already built; building again would change files that other tests read.
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder, ...workspaces], { cwd: root })
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const packed = (await readdir(folder)).filter((name) => name.endsWith('.tgz')).map((name) => join(folder, name))
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent', ...packed], { cwd: folder })
  await writeFile(join(folder, 'application.ts'), application)
  const session = 'declare const session: { accessToken(asked: { refresh: boolean }): Promise<string> }'
  await writeFile(join(folder, 'readme.ts'), [session, ...(await blocksOf('ts'))].join('\n'))
}, 300_000)
afterAll(async () => {
  await stage?.stop()
  await rm(folder, { recursive: true, force: true })
})

test.each(packages)('publint accepts the packed %s', async (name) => {
  const { stdout } = await run(join(root, 'node_modules/.bin/publint'), ['--strict', `packages/${name}`], { cwd: root })
  expect(stdout).toContain('All good!')
})

test.each([
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
])('types resolve outside the workspace: %s', async (moduleResolution, module) => {
  const settings = ['--noEmit', '--strict', '--types', '', '--lib', 'es2024,dom,dom.iterable', '--target', 'es2024']
  const moduleSettings = ['--module', module, '--moduleResolution', moduleResolution]
  const tsc = join(root, 'node_modules/.bin/tsc')
  const { stdout } = await run(tsc, ['application.ts', 'readme.ts', ...settings, ...moduleSettings], {
    cwd: folder,
  }).catch((error) => error)
  expect(stdout).toBe('')
})

test('every module of the React package says that it belongs to the client, for pages that servers render', async () => {
  const modules = join(folder, 'node_modules/@herald/react/dist')
  const names = (await readdir(modules)).filter((name) => name.endsWith('.js'))
  const texts = await Promise.all(names.map((name) => readFile(join(modules, name), 'utf8')))
  expect(texts.map((text) => text.split('\n')[0])).toEqual(Array(3).fill("'use client';"))
})

test('the README’s ten lines are sufficient for a page', async () => {
  const [lines = ''] = await blocksOf('html')
  expect(lines.trim().split('\n').length).toBeLessThanOrEqual(10)
  const page = await stage.openContent(lines.replace('https://api.example/v1', stage.herald.baseUrl))
  const inbox = inboxOf(page)
  await inbox.untilUnread(4)
  await inbox.open()
  expect(stage.errors).toEqual([])
  await page.context().close()
})

test.each([
  ['herald-inbox-only.min.js', 'herald-inbox', 'Mitteilungen, 4 ungelesen'],
  ['herald-change-log.min.js', 'herald-change-log', 'Änderungsprotokoll'],
])('%s defines %s alone, with its German texts', async (file, name, text) => {
  const page = await stage.openContent(`<!doctype html><html lang="de"><title>Seite</title>
    <script type="module" src="/${file}"></script>
    <${name} base-url="${stage.herald.baseUrl}"></${name}>
    <script type="module">
      document.querySelector('${name}').token = async () => (await fetch('/session/token')).text()
    </script>`)
  await page
    .locator(name)
    .getByRole(name === 'herald-inbox' ? 'button' : 'heading', { name: text })
    .waitFor()
  const isDefined = (name: string) => customElements.get(name) !== undefined
  const defined = [await page.evaluate(isDefined, 'herald-inbox'), await page.evaluate(isDefined, 'herald-change-log')]
  expect(defined).toEqual([name === 'herald-inbox', name === 'herald-change-log'])
  expect(stage.errors).toEqual([])
  await page.context().close()
})

test('runs in a page when bundled from the packed files', async () => {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ['application.ts'],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  const token = await stage.herald.tokens.sign({
    sub: stage.account.userId,
    subscriber_id: stage.account.subscriberId,
  })
  const page = await stage.openContent('<title>Host</title><main></main>')
  await page.evaluate(
    ({ token, baseUrl }) => {
      localStorage.token = token
      location.hash = baseUrl
    },
    { token, baseUrl: stage.herald.baseUrl },
  )
  await page.addScriptTag({ type: 'module', content: outputFiles[0]?.text ?? '' })
  const inbox = inboxOf(page)
  await page.locator('herald-inbox button.bell[aria-label="4 unread"]').waitFor()
  await inbox.open()
  await inbox.first.locator('a.open').click()
  expect(await page.title()).not.toBe('Host')
  await page.getByRole('heading', { name: 'Log' }).waitFor()
  await page.context().close()
})
