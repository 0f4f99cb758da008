import type { Command } from './command.ts'
import { usage } from './command.ts'
import { type FoundDeadLetter, originOf } from './found-dead-letter.ts'
import { createReplay, type SendRecords } from './replay.ts'
import { isSelected } from './selection.ts'
import { showDeadLetter, toJsonLine, toTableLine } from './show.ts'

export type CommandDependencies = {
  /** Calls `each` with every dead letter of the topic. */
  readonly read: (each: (letter: FoundDeadLetter) => Promise<void>) => Promise<void>
  readonly send: SendRecords
  readonly print: (line: string) => void
  /** Prints progress and counts, which are not part of the result. */
  readonly note: (line: string) => void
}

/** @returns the exit code: 1 when the dead letter was not found */
export async function runCommand(command: Command, dependencies: CommandDependencies): Promise<number> {
  if (command.kind === 'help') {
    dependencies.print(usage)
    return 0
  }
  if (command.kind === 'list') return list(command, dependencies)
  return command.kind === 'show' ? show(command.origin, dependencies) : replay(command, dependencies)
}

type Of<Kind> = Extract<Command, { kind: Kind }>

async function list({ json, selection }: Of<'list'>, { read, print, note }: CommandDependencies): Promise<number> {
  let count = 0
  await read(async (letter) => {
    if (!isSelected(letter, selection)) return
    count++
    print(json ? toJsonLine(letter) : toTableLine(letter))
  })
  if (!json) note(`${count} dead letters`)
  return 0
}

async function show(origin: string, { read, print, note }: CommandDependencies): Promise<number> {
  let count = 0
  await read(async (letter) => {
    if (originOf(letter) !== origin) return
    count++
    print(showDeadLetter(letter))
  })
  if (count === 0) note(`No dead letter with origin ${origin}`)
  return count === 0 ? 1 : 0
}

async function replay(command: Of<'replay'>, { read, send, note }: CommandDependencies): Promise<number> {
  const { dryRun, selection } = command
  const verb = dryRun ? 'would be sent back' : 'sent back'
  const { add, finish } = createReplay(dryRun ? undefined : send, (sent) => note(`${sent} ${verb} …`))
  await read(async (letter) => {
    if (isSelected(letter, selection)) await add(letter)
  })
  const { sent, repeated, omitted } = await finish()
  note(`${sent} ${verb}, ${repeated} skipped as duplicates, ${omitted} skipped because a part is missing`)
  return 0
}
