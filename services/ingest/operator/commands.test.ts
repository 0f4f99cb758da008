import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import type { CommandContext } from './command-line/command.ts'
import { showCommandHelp, showHelp } from './command-line/help.ts'
import { parseCommandLine, runCommandLine } from './command-line/run-command-line.ts'
import type { Line } from './command-line/terminal.ts'
import { commands } from './commands.ts'

const uuid = '0190a6e0-7c1b-4def-8abc-000000000001'
const parse = (line: string) => parseCommandLine(line.split(' ').filter(Boolean), commands)

test.each([
  ['status --interval 5', { interval: 5, json: false }],
  ['log status --limit 3 --json', { limit: 3, json: true }],
  [`log status --subscriber ${uuid.toUpperCase()}`, { subscriber: uuid, limit: 20 }],
  ['dead-letters list --code not_json --since 2026-01-31T08:00:00Z', { code: 'not_json', since: 1_769_846_400_000 }],
  ['dead-letters show mention-events/0/7', { argument: 'mention-events/0/7' }],
  [
    `retract --subscriber ${uuid.toUpperCase()} --notification ${uuid} --recipient ${uuid}`,
    { subscriber: uuid, recipient: [uuid] },
  ],
  ['check-mappings mappings.yaml --sample records.ndjson', { argument: 'mappings.yaml', sample: 'records.ndjson' }],
  ['migrate --dry-run', { 'dry-run': true }],
])('parses herald %s', (line, options) => {
  expect(parse(line)).toMatchObject({ options })
})

test.each([
  ['heal', 'Unknown command heal'],
  ['dead-letters heal', 'Unknown command dead-letters heal; one of dead-letters list,'],
  ['dead-letters list --code nope', '--code: Must be one of '],
  ['dead-letters show', 'ORIGIN: Required'],
  ['status --interval 0', '--interval: Must be a whole number from 1 to 3600'],
  ['log status --limit 0', '--limit: Must be a whole number from 1 to 1000'],
  ['log seal', 'Unknown command log seal; one of log status, log origins'],
  ['status now', "Unexpected argument 'now'"],
  ['check-mappings a.yaml b.yaml', 'Unexpected argument b.yaml'],
  [`retract --subscriber ${uuid}`, 'Either --notification, or --location-type and --location is required'],
  [`retract --subscriber ${uuid} --notification ${uuid} --location ${uuid}`, 'Either --notification, or'],
])('rejects herald %s', (line, message) => {
  expect(() => parse(line)).toThrow(message)
})

test('reports all invalid options at once', () => {
  expect(() => parse('where --subscriber a --notification b --scan c')).toThrow(
    /^--subscriber: .+\n--notification: .+\n--scan: .+\nSee herald where --help$/,
  )
})

test('every command has help, which shows each of its options', () => {
  const textOf = (lines: readonly Line[]) =>
    lines.map((line) => (typeof line === 'string' ? line : line.text)).join('\n')
  const overview = textOf(showHelp(commands))
  for (const command of commands) {
    expect(overview).toContain(`  ${command.name} `)
    expect(parse(`${command.name} --help`)).toEqual({ command })
    expect(parse(`help ${command.name}`)).toEqual({ command })
    const own = textOf(showCommandHelp(command))
    for (const name of Object.keys(command.options.shape)) if (name !== 'argument') expect(own).toContain(`--${name}`)
  }
  for (const line of ['', '--help', 'help', 'dead-letters', 'log']) expect(parse(line)).toEqual({})
})

test('--version prints the version, and the revision of the build if it is known', async () => {
  const printed: Line[] = []
  const run = (environment: CommandContext['environment']) =>
    runCommandLine(['--version'], commands, {
      environment,
      version: '1.2.3',
      print: (line) => void printed.push(line),
    } as CommandContext)
  expect([await run({}), await run({ HERALD_REVISION: 'abc' })]).toEqual([0, 0])
  expect(printed).toEqual(['1.2.3', '1.2.3 abc'])
})

const runbooks = readFileSync(new URL('../../../deploy/runbooks.md', import.meta.url), 'utf8')
const placeholders: Readonly<Record<string, string>> = {
  SUBSCRIBER: uuid,
  NOTIFICATION: uuid,
  RECIPIENT: uuid,
  TIME: '2026-01-31T08:00:00Z',
  CODE: 'not_json',
  SOURCE: '/comments',
  ID: 'comment-1',
  ORIGIN: 'mention-events/0/7',
  FILE: 'mappings.yaml',
}

/** The command lines in a text: in code after `herald`. */
const commandLinesIn = (text: string) =>
  [...text.matchAll(/(?:`|^ {4,}|-- )herald ([^`\n]+)/gm)].map(([, line = '']) =>
    line.replaceAll(/\b[A-Z]{2,}\b/g, (name) => placeholders[name] ?? name),
  )

const sections = runbooks
  .split(/^## /m)
  .slice(1)
  .map((section) => [section.slice(0, section.indexOf('\n')), section] as const)

test.each(sections)('the runbook %s begins with a command, and all of its commands parse', (_, section) => {
  const [beginning = ''] = section.split(/^1\. |^\|/m)
  expect(commandLinesIn(beginning)).not.toEqual([])
  for (const line of commandLinesIn(section)) expect(parse(line)).toMatchObject({ options: expect.any(Object) })
})
