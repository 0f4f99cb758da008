import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const packageFolder = fileURLToPath(new URL('../..', import.meta.url))
const { dependencies } = JSON.parse(readFileSync(resolve(packageFolder, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}

// Static imports only: a command uses `import()` for packages that it needs after the build.
const staticImport = /^(?:import|export)\s+(?!type\s)(?:[^'"]*?\sfrom\s+)?'([^']+)'/gm

/** Returns all imports of a file, including those of other files of this package. */
function importsOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const specifiers = [...readFileSync(file, 'utf8').matchAll(staticImport)].map(([, specifier = '']) => specifier)
  return specifiers.flatMap((specifier) =>
    specifier.startsWith('.') ? importsOf(resolve(dirname(file), specifier), seen) : [specifier],
  )
}

const packageOf = (specifier: string) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier
const packagesOf = (file: string) =>
  new Set(
    importsOf(resolve(packageFolder, file))
      .filter((specifier) => !isBuiltin(specifier))
      .map(packageOf),
  )

test('imports only Node.js before npm has installed anything', () => {
  expect([...packagesOf('bin/herald.mjs')]).toEqual([])
})

test.each(['start', 'test'])('npm %s imports no package of the workspace before the build', (command) => {
  const packages = [...packagesOf(`src/commands/${command}.ts`)]
  expect(packages).toContain('mongodb')
  expect(packages.filter((name) => name.startsWith('@herald/'))).toEqual([])
  expect(packages.filter((name) => !(name in dependencies))).toEqual([])
})

test('follows imports to packages that the build creates', () => {
  expect([...packagesOf('src/commands/start-with-instructions.ts')]).toContain('@herald/token-issuer')
})
