import { globSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

const workspace = new URL('../../../', import.meta.url)
const text = (path: string) => readFileSync(new URL(path, workspace), 'utf8')

/** The packages that a file imports, except Node.js's and Herald's. */
const packagesIn = (file: string) =>
  [...text(file).matchAll(/from '([^']*)'/g)]
    .map(([, name = '']) => name)
    .filter((name) => !/^(\.|node:|@herald\/)/.test(name))

const filesIn = (folder: string) =>
  globSync(`${folder}/**/*.ts`, { cwd: workspace }).filter((name) => !/\.(test|fixture)\.ts$/.test(name))
const [client = ''] = packagesIn('packages/kafka/src/client/create-kafka.ts')

test('the package imports one client library, which is a dependency', () => {
  const { dependencies } = JSON.parse(text('packages/kafka/package.json'))
  expect(dependencies).toHaveProperty([client])
  const clients = new Set(
    filesIn('packages/kafka/src')
      .flatMap(packagesIn)
      .filter((name) => name.includes('kafka')),
  )
  expect([...clients]).toEqual([client])
})

test('lint rejects the library outside this package', () => {
  expect(text('.biome.json')).toContain(`"${client}": "Only packages/kafka`)
})

test('the services know only the package', () => {
  const files = filesIn('services/*/{src,operator}')
  expect(files.length).toBeGreaterThan(100)
  expect(files.flatMap(packagesIn).filter((name) => name === client)).toEqual([])
})

test('only entry points and wiring create a client', () => {
  const users = filesIn('services/*/{src,operator}').filter((file) => /\bcreateKafka\(/.test(text(file)))
  expect(users.sort()).toEqual([
    'services/ingest/operator/herald.ts',
    'services/ingest/src/app.ts',
    'services/query/src/sealing/accept-restore.ts',
    'services/query/src/sealing/app.ts',
  ])
})

test('the settings and the port do not know the library', () => {
  const files = ['port', 'settings'].flatMap((folder) => filesIn(`packages/kafka/src/${folder}`))
  expect(files.length).toBeGreaterThan(3)
  expect(files.flatMap(packagesIn).filter((name) => name === client)).toEqual([])
})
