import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'

const { findNode, refusal } = await import('../bin/node-versions.mjs')

const on = (node: string, platform = 'linux') => ({ platform, versions: { node } })

test.each(['20.19.0', '20.20.2', '22.0.0', '24.21.0', '26.10.0'])('accepts Node.js %s', (version) => {
  expect(refusal(on(version))).toBeUndefined()
})

test.each(['18.20.8', '20.18.3', '20.9.0'])('refuses Node.js %s in one line', (version) => {
  expect(refusal(on(version))).toMatch(new RegExp(`^Herald needs Node.js 20.19 or newer .* this is ${version}\\..*$`))
})

test('refuses Windows and suggests WSL', () => {
  expect(refusal(on('24.21.0', 'win32'))).toMatch(/^.*use WSL.*$/)
})

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'herald-node-'))
  await mkdir(join(root, 'node_modules', '.bin'), { recursive: true })
})
afterEach(() => rm(root, { recursive: true }))

const current = { arch: 'arm64', execPath: '/own/node', ...on('20.19.5', 'darwin') }
const stripsTypes = { ...current, features: { typescript: 'strip' } }
const stripsNone = { ...current, features: {} }
const installed = () => join(root, 'node_modules', '.bin', 'node')

test('uses the Node.js that npm installed', async () => {
  await symlink(process.execPath, installed())
  expect(findNode(root, stripsTypes)).toEqual({ file: installed() })
})

test('uses the current Node.js when npm installed none, or one that does not run here', async () => {
  expect(findNode(root, stripsTypes)).toEqual({ file: '/own/node' })
  await writeFile(installed(), '#!/no/such/loader\n', { mode: 0o755 })
  expect(findNode(root, stripsTypes)).toEqual({ file: '/own/node' })
})

test('suggests a version when neither can run TypeScript', () => {
  expect(findNode(root, stripsNone).problem).toMatch(/^Node.js 20.19.5 cannot .* darwin-arm64 .* 22.18 or newer.*$/)
})
