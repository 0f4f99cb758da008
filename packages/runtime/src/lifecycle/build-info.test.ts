import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from '@jest/globals'
import { createMetrics } from '../metrics/metrics.ts'
import { readBuildInfo } from './build-info.ts'

const folder = mkdtempSync(join(tmpdir(), 'build-info-'))
afterAll(() => rmSync(folder, { recursive: true }))

const manifest = (content: object) => {
  const file = join(folder, 'package.json')
  writeFileSync(file, JSON.stringify(content))
  return pathToFileURL(file)
}
const node = process.versions.node

test('reads the version from package.json and the commit from the environment', () => {
  expect(readBuildInfo(manifest({ version: '1.2.3' }), {})).toEqual({ version: '1.2.3', node })
  const build = readBuildInfo(manifest({ version: '1.2.3' }), { HERALD_REVISION: '53131ab' })
  expect(build).toEqual({ version: '1.2.3', revision: '53131ab', node })
  expect(readBuildInfo(manifest({ version: '1.2.3' }), { HERALD_REVISION: '' })).not.toHaveProperty('revision')
})

test('rejects a package.json without a version', () => {
  expect(() => readBuildInfo(manifest({}), {})).toThrow('has no version')
})

test('metrics expose the build', async () => {
  const { registry } = createMetrics({ version: '1.2.3', revision: '53131ab', node: '24.1.0' })
  expect(await registry.metrics()).toContain('herald_build_info{version="1.2.3",revision="53131ab",node="24.1.0"} 1')
})

test('metrics omit an unknown commit', async () => {
  const { registry } = createMetrics({ version: '1.2.3', node: '24.1.0' })
  expect(await registry.metrics()).toContain('herald_build_info{version="1.2.3",node="24.1.0"} 1')
})
