import { expect, test } from '@jest/globals'
import type { CommandContext } from './command-line/command.ts'
import { runCommandLine } from './command-line/run-command-line.ts'
import { deriveSubscriberCommand } from './derive-subscriber-command.ts'

test.each([
  ['42', 'd0aad9f5-cfef-8e26-8177-fa9a91f25871'],
  ['6F1E2D3C-4b5a-4978-8695-a4b3c2d1e0f9', '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9'],
])('herald derive-subscriber %s prints the UUID that a mapping makes of it', async (text, expected) => {
  const printed: unknown[] = []
  const print = (line: unknown) => void printed.push(line)
  const context = { clock: () => new Date(), print, note: () => {} } as Partial<CommandContext> as CommandContext
  expect(await runCommandLine(['derive-subscriber', text], [deriveSubscriberCommand], context)).toBe(0)
  expect(printed).toEqual([expected])
})
