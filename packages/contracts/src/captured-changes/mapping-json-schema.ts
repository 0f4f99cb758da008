import { z } from 'zod'
import { mappingFileSchema } from './mapping.ts'

/** Creates the JSON Schema (draft 2020-12) of mapping files, with which editors check and complete them. */
export function createMappingJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(mappingFileSchema, { io: 'input' })
}
