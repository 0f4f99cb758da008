import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'

const { isInstalled, markInstalled } = await import('../bin/is-installed.mjs')

const locked = {
  '': { version: '1.0.0' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/for-windows': { version: '1.0.0', optional: true },
  'packages/b': { version: '0.1.0' },
}
const { '': _root, 'node_modules/for-windows': _windows, ...installed } = locked

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'herald-installed-'))
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages: locked }))
})
afterEach(() => rm(root, { recursive: true }))

async function installs(packages: object) {
  await mkdir(join(root, 'node_modules'), { recursive: true })
  await writeFile(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }))
}

test('returns false for a bare clone', () => {
  expect(isInstalled(root)).toBe(false)
})

test('returns true when all packages but those of other platforms are installed', async () => {
  await installs(installed)
  expect(isInstalled(root)).toBe(true)
})

test.each([
  ['another version', { ...installed, 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } }],
  ['other content', { ...installed, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } }],
  ['no folder', { 'packages/b': { version: '0.1.0' } }],
])('returns false for a package with %s', async (_, packages) => {
  await installs(packages)
  expect(isInstalled(root)).toBe(false)
})

test('returns true after npm ci has run for this lockfile, and false for another', async () => {
  await installs({})
  markInstalled(root)
  expect(isInstalled(root)).toBe(true)
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages: { ...locked, 'node_modules/c': {} } }))
  expect(isInstalled(root)).toBe(false)
})
