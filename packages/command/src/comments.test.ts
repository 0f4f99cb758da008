import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { workspaceRoot } from './workspace.ts'

/** A comment that begins like this has no subject, or one that a reader has to look for in the code. */
const fragment = /^\s*(?:\/\/|\/?\*\*?)\s*(?:Of|What|Those|The same|Who|Which)\b/

test('comments begin with their subject', () => {
  const files = globSync(['**/*.{ts,mts,mjs}'], {
    cwd: workspaceRoot,
    exclude: ['**/node_modules', '**/dist', '**/artefacts'],
  })
  expect(files.length).toBeGreaterThan(500)
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(workspaceRoot, file), 'utf8').split('\n')
    return lines.flatMap((line, index) => (fragment.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []))
  })
  expect(found).toEqual([])
})
