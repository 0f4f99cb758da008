import { readFile } from 'node:fs/promises'
import { nodeArguments } from '@herald/local-herald'
import { expect, test } from '@jest/globals'
import { optionsInImage } from './start-built.ts'

const dockerfile = await readFile(new URL('../../../deploy/Dockerfile', import.meta.url), 'utf8')

test.each(['ingest', 'query'] as const)('%s is measured with the options of its image', (service) => {
  expect(optionsInImage(dockerfile, service)).toEqual(nodeArguments[service])
})

test('an image that starts no service is not mistaken for one', () => {
  expect(() => optionsInImage('CMD ["node", "services/ingest/dist/migrate.js"]', 'ingest')).toThrow(
    'no image of ingest',
  )
})
