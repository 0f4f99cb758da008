import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { watchSources } from './watch-sources.ts'

let root: string
let watching: ReturnType<typeof watchSources>
let seen: string[]
let problem: string | undefined
const waiting = new Set<{ line: RegExp; resolve: () => void }>()

function note(line: string) {
  seen.push(line)
  for (const one of waiting) if (one.line.test(line)) one.resolve()
}
const noted = (line: RegExp) => new Promise<void>((resolve) => void waiting.add({ line, resolve }))

beforeEach(async () => {
  seen = []
  problem = undefined
  waiting.clear()
  root = await mkdtemp(join(tmpdir(), 'herald-watch-'))
  const packages = [
    'contracts',
    'sealed-log',
    'mongo',
    'persons',
    'feed',
    'change-log',
    'store',
    'runtime',
    'kafka',
  ].map((name) => `packages/${name}`)
  const folders = [...packages, 'services/ingest', 'services/query']
  for (const folder of folders) await mkdir(join(root, folder, 'src', 'deep'), { recursive: true })
  const service = (name: string) => ({ restart: async () => note(`restart ${name}`), onLine: () => {} })
  watching = watchSources({
    root,
    services: { ingest: service('ingest'), query: service('query'), seal: service('seal') },
    log: note,
    async build(folder) {
      if (problem) throw new Error(problem)
      note(`build ${folder.slice(root.length + 1)}`)
    },
  })
  // Each folder is built once at the start.
  await noted(/build services\/query/)
  seen = []
})
afterEach(async () => {
  await watching.stop()
  await rm(root, { recursive: true })
})

const change = (path: string) => writeFile(join(root, path), 'x')

test('builds and restarts a service after a change in it', async () => {
  const done = noted(/^Restarted/)
  await change('services/query/src/deep/route.ts')
  await done
  expect(seen).toEqual([
    'build services/query',
    'restart query',
    'restart seal',
    expect.stringMatching(
      /^Restarted query and seal after a change in services\/query: \d+\.\d s, of which the build took/,
    ),
  ])
})

test('restarts all services after a change in a package, once all is built', async () => {
  const done = noted(/^Restarted/)
  await Promise.all([change('services/ingest/src/app.ts'), change('packages/contracts/src/deep/limits.ts')])
  await done
  expect(seen.slice(0, 5)).toEqual([
    ...['build packages/contracts', 'build services/ingest', 'restart ingest', 'restart query', 'restart seal'],
  ])
})

test('prints a compile error without restarting and builds the next change', async () => {
  problem = 'src/app.ts(1,1): error TS1005'
  const failed = noted(/TS1005/)
  await change('services/query/src/app.ts')
  await failed
  expect(seen).toEqual([problem])
  problem = undefined
  const done = noted(/^Restarted/)
  await change('services/query/src/app.ts')
  await done
  expect(seen).toContain('restart query')
})

test('ignores changes of tests', async () => {
  const done = noted(/^Restarted/)
  await change('services/ingest/src/app.test.ts')
  await change('services/query/src/app.ts')
  await done
  expect(seen).not.toContain('build services/ingest')
})
