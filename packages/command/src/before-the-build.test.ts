import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const packages = fileURLToPath(new URL('../..', import.meta.url))
const command = join(packages, 'command')
const servers = join(packages, 'test-servers')

const dependenciesOf = (folder: string) =>
  Object.keys(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies)

// Static imports only: a command uses `import()` for packages that it needs after the build.
const staticImport = /^(?:import|export)\s+(?!type\s)(?:[^'"]*?\sfrom\s+)?'([^']+)'/gm

/** Returns all imports of a file, including those of files that it imports, also as sources of test-servers. */
function importsOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const specifiers = [...readFileSync(file, 'utf8').matchAll(staticImport)].map(([, specifier = '']) => specifier)
  return specifiers.flatMap((specifier) => {
    if (specifier === '@herald/test-servers/source') return importsOf(join(servers, 'src/index.ts'), seen)
    return specifier.startsWith('.') ? importsOf(resolve(dirname(file), specifier), seen) : [specifier]
  })
}

const packageOf = (specifier: string) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier
const packagesOf = (file: string) =>
  new Set(
    importsOf(join(command, file))
      .filter((specifier) => !isBuiltin(specifier))
      .map(packageOf),
  )

test('imports only Node.js before npm has installed anything', () => {
  expect([...packagesOf('bin/herald.mjs')]).toEqual([])
})

test.each(['start', 'test'])('npm %s imports no built package of the workspace before the build', (name) => {
  const imported = [...packagesOf(`src/${name}.ts`)]
  expect(imported).toContain('mongodb')
  expect(imported.filter((imported) => imported.startsWith('@herald/'))).toEqual([])
  expect(imported.filter((imported) => !dependenciesOf(servers).includes(imported))).toEqual([])
})

test('the sources of test-servers are an entry point of the package', () => {
  const { exports } = JSON.parse(readFileSync(join(servers, 'package.json'), 'utf8'))
  expect(exports['./source'].default).toBe('./src/index.ts')
})

test('follows imports to packages that the build creates', () => {
  expect([...packagesOf('src/start-with-instructions.ts')]).toContain('@herald/local-herald')
})
