import { writeFileSync } from 'node:fs'
import { mappingJsonSchema } from './mapping-json-schema.ts'

const file = new URL('../../captured-changes.schema.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(mappingJsonSchema, null, 2)}\n`)
