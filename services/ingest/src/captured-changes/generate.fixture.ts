import { writeFileSync } from 'node:fs'
import { createMappingJsonSchema } from '@herald/contracts'

const file = new URL('../../captured-changes.schema.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(createMappingJsonSchema(), null, 2)}\n`)
