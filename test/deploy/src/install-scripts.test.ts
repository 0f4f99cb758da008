import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from './overlays.ts'

test('no package runs a script of its own while an image is built', () => {
  const installs = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').match(/npm (ci|install)\b.*/g) ?? []
  expect(installs.length).toBeGreaterThan(3)
  expect(installs.filter((command) => !command.includes('--ignore-scripts'))).toEqual([])
})
