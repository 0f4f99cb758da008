import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cachedFolder, cacheFolder } from './cache-folder.ts'

let cache: string
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'herald-cache-'))
})
afterEach(() => rm(cache, { recursive: true }))

test.each([
  [{ HERALD_CACHE: '/a', XDG_CACHE_HOME: '/b', HOME: '/c' }, '/a'],
  [{ XDG_CACHE_HOME: '/b', HOME: '/c' }, '/b/herald'],
  [{ HOME: '/c' }, '/c/.cache/herald'],
])('for %j returns %s', (environment, folder) => {
  expect(cacheFolder(environment)).toBe(folder)
})

test('fills a folder once', async () => {
  let fills = 0
  const fill = async (folder: string) => {
    fills += 1
    await writeFile(join(folder, 'file'), 'whole')
  }
  const folder = await cachedFolder(cache, 'thing', fill)
  expect(await cachedFolder(cache, 'thing', fill)).toBe(folder)
  expect([fills, await readFile(join(folder, 'file'), 'utf8')]).toEqual([1, 'whole'])
})

test('keeps the folder of the first of two concurrent runs', async () => {
  const both = Promise.withResolvers<void>()
  let started = 0
  const fill = (name: string) => async (folder: string) => {
    started += 1
    if (started === 2) both.resolve()
    await both.promise
    await writeFile(join(folder, name), '')
  }
  const [first, second] = await Promise.all(['one', 'two'].map((name) => cachedFolder(cache, 'thing', fill(name))))
  expect(first).toBe(second)
  expect(await readdir(cache)).toEqual(['thing'])
  expect(await readdir(join(cache, 'thing'))).toHaveLength(1)
})

test('removes the folder of a failed fill and starts over in the next run', async () => {
  const failing = async (folder: string) => {
    await writeFile(join(folder, 'half'), '')
    throw new Error('The network is down.')
  }
  await expect(cachedFolder(cache, 'thing', failing)).rejects.toThrow('The network is down.')
  expect(await readdir(cache)).toEqual([])
  await cachedFolder(cache, 'thing', (folder) => writeFile(join(folder, 'file'), ''))
  expect(await readdir(join(cache, 'thing'))).toEqual(['file'])
})

test('removes the partial folder of a killed run, but not of a running one', async () => {
  const { pid: dead } = spawnSync(process.execPath, ['--version'])
  await mkdir(join(cache, `thing.partial-${dead}-0a`))
  await mkdir(join(cache, `thing.partial-${process.ppid}-0b`))
  await cachedFolder(cache, 'thing', async () => {})
  expect((await readdir(cache)).sort()).toEqual(['thing', `thing.partial-${process.ppid}-0b`])
})
