import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { startRegistry } from './registry.fixture.ts'
import { release } from './release.ts'
import { createPublishable } from './workspace.fixture.ts'

let workspace: Awaited<ReturnType<typeof createPublishable>>
let registry: Awaited<ReturnType<typeof startRegistry>>
beforeEach(async () => {
  workspace = await createPublishable()
  registry = await startRegistry()
})
afterEach(async () => {
  await registry.stop()
  await workspace.remove()
})

async function run(dryRun: boolean) {
  const lines: string[] = []
  const environment = { ...process.env, ...registry.environment }
  const ok = await release({ root: workspace.root, dryRun, environment, log: (line) => void lines.push(line) })
  return { ok, lines }
}

test('a dry run lists the packages and publishes nothing', async () => {
  const { ok, lines } = await run(true)
  expect(lines).toEqual([
    expect.stringMatching(/^@x\/z@1\.0\.0: 6 files, \d+ KiB packed$/),
    expect.stringMatching(/^@x\/a@1\.0\.0: 6 files, \d+ KiB packed$/),
    'Dry run: 2 packages passed all checks, nothing was published.',
  ])
  expect([ok, registry.published()]).toEqual([true, []])
})

test('publishes each package once, after its dependencies, with the remote’s address but not its password', async () => {
  const { ok, lines } = await run(false)
  expect(lines.slice(2)).toEqual(['Published @x/z@1.0.0', 'Published @x/a@1.0.0'])
  expect([ok, registry.published()]).toEqual([true, ['@x/z', '@x/a']])
  expect(registry.repositoryOf('@x/a')).toMatchObject({ url: 'git+https://git.example/x.git', directory: 'packages/x' })

  const again = await run(false)
  expect(again.lines.slice(2)).toEqual(['@x/z@1.0.0 is already published', '@x/a@1.0.0 is already published'])
  expect(again.ok).toBe(true)
})

test('refuses a working tree with changes, and a version missing from a changelog', async () => {
  await workspace.write('packages/a/CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n')
  const { ok, lines } = await run(false)
  expect(lines.slice(2)).toEqual([
    'Refused: The working tree has changes',
    'Refused: /packages/a/CHANGELOG.md has no section for 1.0.0',
  ])
  expect([ok, registry.published()]).toEqual([false, []])
})

test('a dry run reports all problems of a package', async () => {
  const { root, write } = workspace
  await rm(join(root, 'packages/z/LICENSE'))
  await write('packages/z/dist/old.js', 'export {}')
  await write('packages/z/dist/index.d.ts', "export { one } from './gone.js'\n")
  await rm(join(root, 'packages/a/dist/index.js'))
  const { ok, lines } = await run(true)
  const problems = lines.flatMap((line) => /^Problem: (.+)/.exec(line)?.slice(1) ?? [])
  expect(problems).toContain('@x/z: LICENSE is missing')
  expect(problems).toContain('@x/z: dist/old.js has no source; remove dist and build again')
  expect(problems).toContain('@x/z: attw:')
  expect(problems).toContainEqual(expect.stringMatching(/^@x\/a: publint: /))
  expect(ok).toBe(false)
})
