import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { workspaceRoot } from './workspace.ts'

/** The services, and the packages that they are made of. Packages that others install have names of their own. */
const rooms =
  '{packages/{change-log,contracts,feed,kafka,mongo,persons,runtime,sealed-log,store}/src,services/*/{src,operator}}'
const files = globSync(`${rooms}/**/*.ts`, { cwd: workspaceRoot }).filter((path) => !/\.(test|fixture)\.ts$/.test(path))

test('no two files export the same name', () => {
  const filesOf = new Map<string, string[]>()
  for (const path of files) {
    const text = readFileSync(join(workspaceRoot, path), 'utf8')
    for (const [, name = ''] of text.matchAll(/^export (?:async )?(?:function\*?|const|class|type|interface) (\w+)/gm))
      filesOf.set(name, [...(filesOf.get(name) ?? []), path])
  }
  expect(filesOf.size).toBeGreaterThan(500)
  const shared = [...filesOf].filter(([, paths]) => new Set(paths).size > 1)
  expect(Object.fromEntries(shared)).toEqual({})
})
