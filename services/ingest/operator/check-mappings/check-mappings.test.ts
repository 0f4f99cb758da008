import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from '@jest/globals'
import type { CommandContext } from '../command-line/command.ts'
import { runCommandLine } from '../command-line/run-command-line.ts'
import { checkMappingsCommand } from './check-mappings.ts'

const folder = mkdtempSync(join(tmpdir(), 'mappings-'))
afterAll(() => rmSync(folder, { recursive: true }))

const samplePath = (name: string) =>
  fileURLToPath(new URL(`../../src/captured-changes/samples/${name}`, import.meta.url))

async function run(...words: readonly string[]) {
  const printed: string[] = []
  const notes: string[] = []
  const exitCode = await runCommandLine(['check-mappings', ...words], [checkMappingsCommand], {
    clock: () => new Date('2026-11-22T12:00:00Z'),
    print: (line) => void printed.push(line as string),
    note: (line) => void notes.push(line),
  } as CommandContext)
  return { exitCode, printed: printed.map((line) => JSON.parse(line)), notes }
}

function fileOf(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

test('a valid file has no issues', async () => {
  expect(await run(samplePath('postgres.yaml'))).toMatchObject({ exitCode: 0, printed: [] })
})

test('prints the entries that a sample would make', async () => {
  const { exitCode, printed } = await run(
    samplePath('mariadb.yaml'),
    '--sample',
    samplePath('mariadb-json-schemas.ndjson'),
  )
  expect(exitCode).toBe(0)
  expect(printed).toEqual([
    {
      line: 1,
      topic: 'shops.shop.customer',
      outcome: 'entry',
      entry: expect.objectContaining({ changedField: 'email', beforeState: null, afterState: 'bo@example.org' }),
    },
  ])
})

test('says once where NULL and the default of a column can’t be told apart', async () => {
  const sample = ['--sample', samplePath('mariadb-json.ndjson')]
  const { notes } = await run(samplePath('mariadb.yaml'), ...sample)
  const advised = notes.filter((note) => note.includes('replace.null.with.default=false'))
  expect(advised).toContainEqual(expect.stringMatching(/^shop\.shop\.customer: /))
  expect(new Set(advised).size).toBe(advised.length)
  const text = readFileSync(samplePath('mariadb-json.ndjson'), 'utf8').replaceAll(
    'snapshot\\":\\"false\\"',
    'snapshot\\":null',
  )
  const without = await run(samplePath('mariadb.yaml'), '--sample', fileOf('nulls.ndjson', text))
  expect(without.notes.join()).not.toContain('NULL')
})

test('prints what is skipped, not mapped, or would be a dead letter', async () => {
  const { exitCode, printed } = await run(samplePath('postgres.yaml'), '--sample', samplePath('postgres-json.ndjson'))
  expect(exitCode).toBe(1)
  expect(printed).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ outcome: 'skipped', reason: 'tombstone' }),
      expect.objectContaining({ outcome: 'not mapped', topic: 'shop.message' }),
      expect.objectContaining({ outcome: 'dead-letter', code: 'key_missing' }),
    ]),
  )
})

test('accepts records with JSON instead of texts', async () => {
  const sample = fileOf('sample.ndjson', `${JSON.stringify({ topic: 'shop.public.orders', value: { ts_ms: 1 } })}\n\n`)
  expect(await run(samplePath('postgres.yaml'), '--sample', sample)).toMatchObject({
    exitCode: 0,
    printed: [{ line: 1, outcome: 'skipped', reason: 'marker' }],
  })
})

test('reports every issue of the file', async () => {
  const { exitCode, notes } = await run(fileOf('bad.yaml', 'topics: { a: {}, b: { user: 5 } }'))
  expect(exitCode).toBe(1)
  expect(notes.length).toBeGreaterThan(5)
  for (const note of notes) expect(note).toMatch(/bad\.yaml:1:\d+: \/topics\//)
})

test.each<[string, string[], RegExp]>([
  ['no file', [], /FILE: Required/],
  ['an unknown option', ['a.yaml', '--smaple', 'x'], /Unknown option/],
  ['a missing sample', [samplePath('postgres.yaml'), '--sample', '/nowhere'], /ENOENT/],
  [
    'a sample that is no record',
    [samplePath('postgres.yaml'), '--sample', samplePath('postgres.yaml')],
    /Line 1 is not/,
  ],
])('%s is an error of the command', async (_name, words, expected) => {
  const { exitCode, notes } = await run(...words)
  expect(exitCode).toBe(2)
  expect(notes.join('\n')).toMatch(expected)
})
