import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { type ConfiguredProcess, withSettingsOf } from './testing.fixture.ts'

const page = `# Settings

<!-- settings -->

<!-- end of settings -->

<!-- budgets -->

<!-- end of budgets -->
`
const host = { HOST: z.string().default('::').meta({ description: 'Address' }) }
const budget = { name: 'bodies', setting: 'MAX_BODIES', counts: 'bodies', sum: 2 ** 25, userShare: 1 / 8 }
const query: ConfiguredProcess = {
  name: 'query',
  settings: { ...host, KEY: z.string().meta({ description: 'Key' }), MAX_BODIES: z.string().default('1') },
  budgets: [budget],
}
const linesOf = (text: string) => text.match(/^- .*/gm)

test('writes settings with their defaults, and budgets with the parts of a subscriber and a user', () => {
  const written = withSettingsOf(page, query)
  expect(linesOf(written)).toEqual([
    '- `HOST` (query), `::`: Address',
    '- `KEY` (query), required: Key',
    '- `MAX_BODIES` (query), 32 MiB, 16 MiB, 4 MiB: bodies; refused',
  ])
  expect(withSettingsOf(written, query)).toBe(written)
})

test('processes share equal lines, and a changed one replaces only its own', () => {
  const both = withSettingsOf(withSettingsOf(page, query), { ...query, name: 'ingest', settings: host })
  expect(linesOf(both)?.[0]).toBe('- `HOST` (ingest, query), `::`: Address')
  const optional = { HOST: z.string().optional().meta({ description: 'Name' }) }
  const changed = withSettingsOf(both, { ...query, settings: optional, budgets: [] })
  expect(linesOf(changed)).toEqual([
    '- `HOST` (query): Name',
    '- `HOST` (ingest), `::`: Address',
    '- `MAX_BODIES` (ingest), 32 MiB, 16 MiB, 4 MiB: bodies; refused',
  ])
})

test('writes nothing into a page without the regions', () => {
  expect(() => withSettingsOf('# Settings', query)).toThrow('The page lacks the region settings')
})
