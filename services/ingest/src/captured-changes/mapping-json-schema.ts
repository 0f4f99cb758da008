import { z } from 'zod'
import { mappingFileSchema } from './mapping.ts'

/** The JSON Schema (draft 2020-12) of mapping files, with which editors check and complete them. */
export const mappingJsonSchema = z.toJSONSchema(mappingFileSchema, { io: 'input' })
