import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'
import { workspaceRoot } from './workspace.ts'

const readManifest = (folder: string) => JSON.parse(readFileSync(join(workspaceRoot, folder, 'package.json'), 'utf8'))
const folders = globSync('{packages,services,examples}/*/package.json', { cwd: workspaceRoot })
  .map(dirname)
  .filter((folder) => readManifest(folder).scripts?.build)
const filesOf = (folder: string) => globSync(`${folder}/dist/**/*.{js,mjs,d.ts}`, { cwd: workspaceRoot })

type Node = {
  readonly type?: string
  readonly source?: { readonly value: string } | null
  readonly callee?: Node
  readonly argument?: { readonly value: string }
  readonly arguments?: readonly { readonly expression: { readonly value?: string } }[]
}

/** Returns the names that a file imports, in any form that the compiler writes. */
function specifiersIn(node: Node): (string | undefined)[] {
  const nested = Object.values(node).filter((value): value is Node => typeof value === 'object' && value !== null)
  const own =
    node.type === 'TsImportType'
      ? node.argument?.value
      : node.callee?.type === 'Import'
        ? node.arguments?.[0]?.expression.value
        : node.source?.value
  return [own, ...nested.flatMap(specifiersIn)]
}

const packageOf = (specifier: string) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier

/** The packages that a file needs, apart from Node.js. */
const packagesIn = (code: string) =>
  specifiersIn(parseSync(code, { syntax: 'typescript', target: 'es2024' }) as Node)
    .filter((specifier) => specifier !== undefined)
    .filter((specifier) => !/^[.#/]/.test(specifier) && !isBuiltin(specifier))
    .map(packageOf)

test('finds imports in every form that the compiler writes', () => {
  const code = `
    import { a } from 'one'
    import b, * as c from "two/deep"
    import '@three/side-effect/deep';
    export * from 'four'
    export { d } from 'five'
    const e = await import('six')
    declare const f: import("seven").Type<import('eight')>
    import type { g } from 'nine'
    import 'node:fs'
    import './own.ts'
    // import 'a-comment'
    const text = "import 'a-text'"`
  expect(packagesIn(code)).toEqual([
    'one',
    'two',
    '@three/side-effect',
    'four',
    'five',
    'six',
    'seven',
    'eight',
    'nine',
  ])
})

// An image has the built files with production dependencies, and a team that installs a package has no more.
test.each(folders)('what is built from %s imports only its dependencies', (folder) => {
  const { name, dependencies = {}, peerDependencies = {} } = readManifest(folder)
  const declared = new Set([name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)])
  const files = filesOf(folder)
  const undeclared = files.flatMap((file) =>
    packagesIn(readFileSync(join(workspaceRoot, file), 'utf8'))
      .filter((imported) => !declared.has(imported))
      .map((imported) => `${file} imports ${imported}`),
  )
  expect(files.length).toBeGreaterThan(0)
  expect(undeclared).toEqual([])
})

test.each(folders)('no test and no test helper is built from %s', (folder) => {
  expect(filesOf(folder).filter((file) => /[.](test|fixture)[.]/.test(file))).toEqual([])
})

test('finds the product’s packages', () => expect(folders.length).toBeGreaterThanOrEqual(12))
