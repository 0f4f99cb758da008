import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outside, type Packed, packPackages } from './packed.ts'
import { succeed } from './run.ts'

const files = {
  'package.json': '{ "name": "page", "private": true }',
  'app/layout.jsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>',
  // A server component: nothing in it says that the inbox belongs to the browser.
  'app/page.jsx': `import { HeraldInbox } from '@herald/react'
    export default () => <HeraldInbox baseUrl="https://api.example/v1" token="of-a-session" />`,
}

let packed: Packed
beforeAll(async () => {
  packed = await packPackages(['client', 'web-components', 'react'])
})
afterAll(() => packed?.remove())

test('a page that Next.js renders on a server brings the element to the browser', async () => {
  const folder = await packed.newProject('page')
  await mkdir(join(folder, 'app'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const fromRegistry = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1']
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packed.archives, ...fromRegistry]
  await succeed('npm', args, { folder, environment: outside() })
  const environment = { ...outside(), NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } as const
  await succeed('npx', ['--no-install', 'next', 'build'], { folder, environment })

  const html = await readFile(join(folder, '.next/server/app/index.html'), 'utf8')
  expect(html).toContain('<herald-inbox')
  const chunks = join(folder, '.next/static/chunks')
  const scripts = (await readdir(chunks)).filter((name) => name.endsWith('.js'))
  const texts = await Promise.all(scripts.map((name) => readFile(join(chunks, name), 'utf8')))
  const defining = scripts.filter((_, index) => /\.define\(["']herald-inbox["']/.test(texts[index] ?? ''))
  expect(defining).toHaveLength(1)
  expect(html).toContain(defining[0])
}, 300_000)
