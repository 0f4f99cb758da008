import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { commands } from './commands.ts'
import { showCompletion } from './completion.ts'
import { showCommandHelp, showHelp } from './help.ts'
import { parseCommandLine } from './parse-command-line.ts'
import { plain } from './style.ts'

const uuid = '0190a6e0-7c1b-4def-8abc-000000000001'
const parse = (line: string) => parseCommandLine(line.split(' ').filter(Boolean), commands)

test.each([
  ['status --watch --interval 5', { watch: true, interval: 5, json: false }],
  ['dead-letters list --code not_json --since 2026-01-31T08:00:00Z', { code: 'not_json', since: 1_769_846_400_000 }],
  ['dead-letters show mention-events/0/7', { argument: 'mention-events/0/7' }],
  [
    `retract --subscriber ${uuid.toUpperCase()} --notification ${uuid} --recipient ${uuid}`,
    { subscriber: uuid, recipient: [uuid] },
  ],
  ['check-mappings mappings.yaml --sample records.ndjson', { argument: 'mappings.yaml', sample: 'records.ndjson' }],
  ['migrate --dry-run', { 'dry-run': true }],
  ['completion zsh', { argument: 'zsh' }],
])('parses herald %s', (line, options) => {
  expect(parse(line)).toMatchObject({ kind: 'run', options })
})

test.each([
  ['heal', 'Unknown command heal'],
  ['dead-letters heal', 'Unknown command dead-letters heal; one of dead-letters list,'],
  ['dead-letters list --code nope', '--code: Must be one of '],
  ['dead-letters show', 'ORIGIN: Required'],
  ['status --interval 0', '--interval: Must be a whole number from 1 to 3600'],
  ['status now', "Unexpected argument 'now'"],
  ['check-mappings a.yaml b.yaml', 'Unexpected argument b.yaml'],
  [`retract --subscriber ${uuid}`, 'Either --notification, or --location-type and --location is required'],
  [`retract --subscriber ${uuid} --notification ${uuid} --location ${uuid}`, 'Either --notification, or'],
  ['completion tcsh', 'SHELL: Must be one of bash, zsh, fish'],
])('rejects herald %s', (line, message) => {
  expect(parse(line)).toMatchObject({ kind: 'invalid', issues: [expect.stringContaining(message)] })
})

test('reports all invalid options at once', () => {
  const parsed = parse('where --subscriber a --notification b --scan c')
  expect(parsed).toMatchObject({
    issues: [/subscriber/, /notification/, /scan/].map((name) => expect.stringMatching(name)),
  })
})

test('every command has help, which shows each of its options', () => {
  const overview = showHelp(commands, plain).join('\n')
  for (const command of commands) {
    expect(overview).toContain(`  ${command.name} `)
    expect(parse(`${command.name} --help`)).toEqual({ kind: 'help', command })
    expect(parse(`help ${command.name}`)).toEqual({ kind: 'help', command })
    const own = showCommandHelp(command, plain).join('\n')
    for (const name of Object.keys(command.options.shape)) if (name !== 'argument') expect(own).toContain(`--${name}`)
  }
  expect(parse('')).toEqual({ kind: 'help' })
  expect(parse('--version')).toEqual({ kind: 'version' })
})

/** Runs the completion script in bash, as the shell does when Tab is pressed after these words. */
function complete(...words: readonly string[]): string[] {
  const script = `${showCompletion('bash', commands)}
    COMP_WORDS=(herald "$@") COMP_CWORD=$#
    _herald && printf '%s\\n' "\${COMPREPLY[@]}"`
  const output = execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
  return output.split('\n').filter(Boolean)
}

test.each([
  [['wh'], ['where']],
  [
    ['dead-letters', ''],
    ['list', 'show', 'replay'],
  ],
  [['dead-letters', 'replay', '--d'], ['--dry-run']],
  [
    ['dead-letters', 'list', '--code', 'not_'],
    ['not_cloudevent', 'not_json'],
  ],
  [['status', '--watch', '--j'], ['--json']],
  [['completion', 'z'], ['zsh']],
  [['where', '--time', ''], []],
])('bash completes %j to %j', (words, completed) => {
  expect(complete(...words)).toEqual(completed)
})

test.each(['zsh', 'fish'] as const)('the script of %s has every command and option, and is valid there', (shell) => {
  const script = showCompletion(shell, commands)
  for (const { name, options } of commands) {
    for (const word of name.split(' ')) expect(script).toContain(word)
    for (const option of Object.keys(options.shape)) if (option !== 'argument') expect(script).toContain(option)
  }
  if (!hasShell(shell)) return
  execFileSync(shell, shell === 'fish' ? ['--no-execute', '-c', script] : ['-n', '-c', script])
})

function hasShell(shell: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${shell}`])
    return true
  } catch {
    return false
  }
}

const runbooks = readFileSync(new URL('../../../../deploy/runbooks.md', import.meta.url), 'utf8')
const placeholders: Readonly<Record<string, string>> = {
  ...{ SUBSCRIBER: uuid, NOTIFICATION: uuid, RECIPIENT: uuid, TIME: '2026-01-31T08:00:00Z', CODE: 'not_json' },
  ...{ SOURCE: '/comments', ID: 'comment-1', ORIGIN: 'mention-events/0/7', FILE: 'mappings.yaml' },
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

test.each(sections)('the runbook %s names a command that answers its first question, and it parses', (_, section) => {
  const lines = commandLinesIn(section)
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect([line, parse(line).kind]).toEqual([line, 'run'])
})
