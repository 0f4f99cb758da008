import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { type ConfiguredProcess, withSettingsOf } from './testing.fixture.ts'

const page = `# Settings

<!-- settings -->

| variable | process | default | meaning |
| -------- | ------- | ------- | ------- |

<!-- end of settings -->

<!-- budgets -->

| setting | process | counts | default | subscriber | user | beyond |
| ------- | ------- | ------ | ------- | ---------- | ---- | ------ |

<!-- end of budgets -->
`
const setting = (description: string) => z.string().meta({ description })
const budget = { name: 'bodies', setting: 'MAX_BODIES', counts: 'bodies', sum: 2 ** 25, userShare: 1 / 8 }
const host = { HOST: z.string().default('::').meta({ description: 'Address' }) }
const query: ConfiguredProcess = {
  name: 'query',
  settings: { ...host, KEY: setting('Key'), MAX_BODIES: setting('Bodies') },
  budgets: [budget],
}
const rowsOf = (text: string) =>
  [...text.matchAll(/^\| `.*/gm)].map(([row]) => row.replaceAll(/ *\| */g, '|').slice(1, -1))

test('writes settings with their defaults, and budgets with the parts of a subscriber and a user', () => {
  expect(rowsOf(withSettingsOf(page, query))).toEqual([
    '`HOST`|query|`::`|Address',
    '`KEY`|query|required|Key',
    '`MAX_BODIES`|query|bodies|32 MiB|16 MiB|4 MiB|refused',
  ])
})

test('processes share equal rows, and a changed one replaces only its own', () => {
  const both = withSettingsOf(withSettingsOf(page, query), { ...query, name: 'ingest', settings: host })
  expect(rowsOf(both)[0]).toBe('`HOST`|ingest, query|`::`|Address')
  const changed = withSettingsOf(both, {
    ...query,
    settings: { HOST: z.string().optional().meta({ description: 'Name' }) },
    budgets: [],
  })
  expect(rowsOf(changed)).toEqual([
    '`HOST`|query||Name',
    '`HOST`|ingest|`::`|Address',
    '`MAX_BODIES`|ingest|bodies|32 MiB|16 MiB|4 MiB|refused',
  ])
  expect(withSettingsOf(changed, { ...query, settings: host, budgets: [budget] })).toBe(
    withSettingsOf(both, { ...query, settings: host }),
  )
})

test('writes nothing into a page without the regions', () => {
  expect(() => withSettingsOf('# Settings', query)).toThrow('The page lacks the region settings')
})
