import { expect, test } from '@jest/globals'
import { parseCommand } from './command.ts'

test.each([
  [[], { kind: 'help' }],
  [['--help'], { kind: 'help' }],
  [['list'], { kind: 'list', json: false, selection: {} }],
  [['list', '--json', '--code', 'not_json'], { kind: 'list', json: true, selection: { code: 'not_json' } }],
  [['show', 'mention-events/0/7'], { kind: 'show', origin: 'mention-events/0/7' }],
  [
    ['replay', '--origin', 'mention-events', '--dry-run'],
    { kind: 'replay', dryRun: true, selection: { origin: 'mention-events' } },
  ],
])('parses %j', (words, command) => {
  expect(parseCommand(words)).toEqual(command)
})

test.each([
  [['heal'], 'Unknown command heal'],
  [['show'], 'show requires exactly one ORIGIN'],
  [['list', 'mention-events/0/7'], 'Unexpected argument mention-events/0/7'],
  [['list', '--code', 'nope'], 'Unknown code nope'],
  [['list', '--frobnicate'], "Unknown option '--frobnicate'"],
])('rejects %j with a reason', (words, message) => {
  expect(() => parseCommand(words)).toThrow(message)
})
