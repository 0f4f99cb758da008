import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

const sources = new URL('../', import.meta.url)
const text = (path: string, base = sources) => readFileSync(new URL(path, base), 'utf8')

/** The modules that a file imports. */
const importsOf = (file: string) => [...text(file).matchAll(/from '([^']*)'/g)].map(([, name = '']) => name)

/** Returns the packages that a file imports, except Node.js's and Herald's. */
const packagesIn = (file: string) => importsOf(file).filter((name) => !/^(\.|node:|@herald\/)/.test(name))

const filesIn = (folder: string) =>
  readdirSync(new URL(folder, sources), { recursive: true })
    .map((name) => folder + name)
    .filter((name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name))
const [client = ''] = packagesIn('kafka/create-kafka.ts')

test('the folder imports one client library, a dependency of the service', () => {
  const { dependencies } = JSON.parse(text('../package.json'))
  expect(dependencies).toHaveProperty([client])
  const clients = new Set(
    filesIn('kafka/')
      .flatMap(packagesIn)
      .filter((name) => name.includes('kafka')),
  )
  expect([...clients]).toEqual([client])
})

test('lint rejects the library outside this folder', () => {
  expect(text('../../../.biome.json')).toContain(`"${client}": "Only services/ingest/src/kafka`)
})

test.each(['consume/', 'events/', 'produce/', 'workers/'])('%s knows only the port', (folder) => {
  const files = filesIn(folder)
  expect(files.length).toBeGreaterThan(2)
  expect(files.flatMap(importsOf).filter((name) => name.includes('/kafka/') || name === client)).toEqual([])
})

test('only the entry points and the wiring of the service use this folder', () => {
  const others = filesIn('').filter((file) => !file.startsWith('kafka/'))
  const users = others.filter((file) => importsOf(file).some((name) => /^\.\.?\/kafka\//.test(name)))
  expect(users.sort()).toEqual(['app.ts'])
})
