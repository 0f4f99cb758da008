import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type GuideStep, instructions } from '@herald/local-herald'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runGuideOutside } from './guide.ts'
import { type LocalHerald, startLocalHerald } from './local-herald.ts'
import { workspaceFolder } from './packed.ts'

let local: LocalHerald
let printed: string
beforeAll(async () => {
  local = await startLocalHerald()
  printed = instructions(local.running)
}, 240_000)
afterAll(() => local?.stop())

test.each([
  'services/ingest/guides/replay-a-topic.md',
  'services/ingest/guides/heal-dead-letters.md',
  'packages/publisher/guides/publish-your-first-event.md',
  'packages/publisher/guides/e-mail-whoever-has-not-read-it.md',
  'packages/client/guides/export-the-change-log.md',
  'packages/client/guides/copy-the-change-log-into-your-warehouse.md',
  'packages/runtime/guides/bring-your-own-identity-provider.md',
])('the code blocks of %s run with the output of npm start', async (path) => {
  const steps: GuideStep[] = await runGuideOutside(path, printed)
  expect(steps.length).toBeGreaterThan(0)
  for (const { printed, expected } of steps) if (expected !== undefined) expect(printed).toContain(expected)
})

/** Waits until the newest checkpoint covers all that the other guides have recorded. */
async function untilSealed() {
  const { herald, token } = local.running
  const read = async (path: string) => {
    const response = await fetch(`${herald.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })
    return response.text()
  }
  await eventually(async () => {
    const exported = await read('/change-entries/sealed')
    const size = Number((await read('/change-entries/checkpoint')).split('\n')[1])
    return exported.trim().split('\n').length === size + 1
  })
}

test('the code blocks of services/query/guides/prove-the-change-log.md run with the output of npm start', async () => {
  await untilSealed()
  const steps = await runGuideOutside('services/query/guides/prove-the-change-log.md', printed)
  const expected = steps.filter(({ expected }) => expected !== undefined)
  expect(expected.map(({ printed }) => printed.trim())).toEqual(expected.map(({ expected }) => expected))
  expect(expected).toHaveLength(4)
})

test('the README links to every guide, and a test runs each guide', async () => {
  const filesIn = async (place: string, name: RegExp) => {
    const files = await readdir(join(workspaceFolder, place), { recursive: true })
    return files.filter((file) => name.test(file)).map((file) => `${place}/${file}`)
  }
  const isGuide = /^([^/]+\/)?guides\/[^/]+\.md$/
  const guides = (await Promise.all(['packages', 'services', 'deploy'].map((place) => filesIn(place, isGuide)))).flat()
  expect(guides.length).toBeGreaterThanOrEqual(7)
  const read = (path: string) => readFileSync(join(workspaceFolder, path), 'utf8')
  const tests = (await filesIn('test', /^(?!.*node_modules).*\.test\.ts$/)).map(read).join('\n')
  for (const path of guides) {
    expect(read('README.md')).toContain(`](${path})`)
    expect([path, tests.includes(path)]).toEqual([path, true])
  }
})
