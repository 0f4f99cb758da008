import { z } from 'zod'
import { createCapturedChanges } from './captured-changes.ts'
import { readMappingFile } from './mapping-file.ts'

/** The setting that names the mapping file. The file is read when the setting is; each of its issues is reported. */
export const mappingsSetting = () =>
  z.string().transform((file, context) => {
    const read = readMappingFile(file)
    if (read.ok) return createCapturedChanges(read.mappings)
    for (const message of read.issues) context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
