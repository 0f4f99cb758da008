import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

type Entry = {
  integrity?: string
  resolved?: string
  link?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
}

const { packages } = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, Entry>
}
const fromRegistry = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)

test('contains no registry addresses', () => {
  expect(fromRegistry.length).toBeGreaterThan(500)
  expect(fromRegistry.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})

// npm leaves out an optional package that the registry does not have; then `npm ci` fails for everyone.
test('contains every dependency that it names', () => {
  const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)))
  const missing = Object.values(packages).flatMap(({ dependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !locked.has(name)),
  )
  expect(missing).toEqual([])
})

// npm writes no hash for a package that it could not look up, and the registry used for the lockfile does not have these.
// To add the hashes, delete their entries and run `npm install --package-lock-only` with a registry that has them.
const mostWithoutHash = 37

test('has a hash for every package except binaries of other platforms that could not be looked up', () => {
  const without = fromRegistry.filter(([, { integrity }]) => integrity === undefined)
  const isForOthers = ([, { optional, os = [], cpu = [], libc = ['glibc'] }]: (typeof without)[number]) =>
    optional && !(os.includes('linux') && /x64|arm64/.test(cpu.join()) && libc.includes('glibc'))
  expect(without.filter((entry) => !isForOthers(entry))).toEqual([])
  expect(without.length).toBeLessThanOrEqual(mostWithoutHash)
})
