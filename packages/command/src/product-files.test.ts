import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const pattern =
  '{packages/{client,contracts,publisher,react,runtime,sealed-log,store,web-components},services/**}/tsconfig.build.json'
const projects = globSync(pattern, { cwd: root, exclude: ['**/node_modules'] })

test.each(projects)('%s compiles no test and no test helper', (project) => {
  const files = execFileSync('npx', ['tsc', '-p', project, '--listFilesOnly'], { cwd: root, encoding: 'utf8' }).split(
    '\n',
  )
  const own = files.filter((file) => file.startsWith(root) && !file.includes('/node_modules/'))
  expect(own.length).toBeGreaterThan(3)
  expect(own.filter((file) => /[.](test|fixture)[.]ts$/.test(file))).toEqual([])
})

test('finds the product’s packages', () => expect(projects.length).toBeGreaterThanOrEqual(10))
