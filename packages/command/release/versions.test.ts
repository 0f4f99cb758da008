import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { findVersionProblems } from './versions.ts'
import { createWorkspace } from './workspace.fixture.ts'
import { findPublicPackages, readManifest, readWorkspaces } from './workspaces.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

test('all workspaces, and dependencies between them, have the version of the root', () => {
  expect(findVersionProblems(root)).toEqual([])
})

test('the lockfile has the same versions', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const { version } = readManifest(root)
  for (const { folder } of readWorkspaces(root)) {
    const path = folder.slice(root.length).replace(/^\//, '')
    expect([path, packages[path]?.version]).toEqual([path, version])
  }
})

test('reports a workspace and a dependency with another version', async () => {
  const workspace = await createWorkspace({
    a: { name: '@x/a', version: '1.0.0' },
    b: { name: '@x/b', version: '1.1.0', devDependencies: { '@x/a': '^1.0.0', other: '3.0.0' } },
  })
  expect(findVersionProblems(workspace.root)).toEqual([
    '@x/b has version 1.1.0, not 1.0.0',
    '@x/b depends on @x/a ^1.0.0, not 1.0.0',
  ])
  await workspace.remove()
})

test('orders public packages by their dependencies', () => {
  const names = findPublicPackages(root).map(({ manifest }) => manifest.name)
  expect([...names].sort()).toEqual([
    '@herald/client',
    '@herald/contracts',
    '@herald/inbox',
    '@herald/publisher',
    '@herald/react',
  ])
  expect(names.indexOf('@herald/client')).toBeLessThan(names.indexOf('@herald/inbox'))
  expect(names.indexOf('@herald/inbox')).toBeLessThan(names.indexOf('@herald/react'))
  expect(names.indexOf('@herald/contracts')).toBeLessThan(names.indexOf('@herald/publisher'))
})

test.each(findPublicPackages(root))('$manifest.name contains the license of the workspace', ({ folder }) => {
  expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'))
})
