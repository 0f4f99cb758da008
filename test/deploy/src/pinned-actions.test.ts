import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from './overlays.ts'

const workflows = join(root, '.github/workflows')
const used = readdirSync(workflows).flatMap((file) =>
  [...readFileSync(join(workflows, file), 'utf8').matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, action]) => action),
)

test('each action of a workflow is pinned to a commit, with its version as a comment', () => {
  expect(used.length).toBeGreaterThan(3)
  expect(used.filter((action) => !/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action ?? ''))).toEqual([])
})
