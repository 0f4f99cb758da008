import { z } from 'zod'
import { checkMappings } from '../captured-changes/check-mappings.ts'
import { defineCommand } from './command.ts'
import { option, textValue } from './option.ts'

export const checkMappingsCommand = defineCommand({
  name: 'check-mappings',
  summary: 'Checks a file for CDC_MAPPINGS, and prints the entries that sample records would make',
  argument: { value: 'FILE', description: 'The YAML file of mappings' },
  options: z.object({
    argument: textValue,
    sample: option(textValue.optional(), {
      value: 'RECORDS',
      description: 'A file with one JSON object per line: topic, key, value and optionally headers',
    }),
  }),
  async run({ argument, sample }, { clock, print, note }) {
    return checkMappings([argument, ...(sample === undefined ? [] : ['--sample', sample])], clock(), { print, note })
  },
})
