import { readFileSync } from 'node:fs'
import { createMappingJsonSchema } from '@herald/contracts'
import { expect, test } from '@jest/globals'

const mappingJsonSchema = createMappingJsonSchema()
const file = new URL('../../captured-changes.schema.json', import.meta.url)

test('captured-changes.schema.json is up to date; run `node src/captured-changes/generate.fixture.ts` if it is not', () => {
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(mappingJsonSchema)))
})

test('every setting of a mapping has a description', () => {
  const { topics } = mappingJsonSchema.properties as Record<string, { additionalProperties: { properties: object } }>
  const settings = Object.entries(topics?.additionalProperties.properties ?? {})
  expect(settings.length).toBeGreaterThan(8)
  expect(settings.filter(([, { description }]) => !description)).toEqual([])
})
