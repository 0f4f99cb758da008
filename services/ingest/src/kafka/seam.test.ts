import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

const here = new URL('.', import.meta.url)
const text = (path: string) => readFileSync(new URL(path, here), 'utf8')

/** Returns the packages that a file imports, except Node.js's and Herald's. */
const packagesIn = (file: string) =>
  [...text(file).matchAll(/from '([^'.][^']*)'/g)].flatMap(([, name = '']) =>
    /^(node:|@herald\/)/.test(name) ? [] : name,
  )

const files = readdirSync(here, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name))
const [client = ''] = packagesIn('client.ts')

test('the folder imports one client library, a dependency of the service', () => {
  const { dependencies } = JSON.parse(text('../../package.json'))
  expect(dependencies).toHaveProperty([client])
  const clients = new Set(files.flatMap(packagesIn).filter((name) => name.includes('kafka')))
  expect([...clients]).toEqual([client])
})

test('lint rejects the library outside this folder', () => {
  expect(text('../../../../.biome.json')).toContain(`"${client}": "Only services/ingest/src/kafka`)
})
