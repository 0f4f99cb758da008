import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { BareClone } from './bare-clone.ts'
import type { StartedNpm } from './npm-start.ts'
import type { Stranger } from './stranger.ts'

const run = promisify(execFile)

/** Returns the printed blocks of commands, keyed by the comment above each. */
export function blocksOf(output: string): Map<string, string> {
  const blocks = output.split('\n\n').flatMap((block) => {
    const [, comment, commands] = /^\n*# (.*)\n([\s\S]+)$/.exec(block) ?? []
    return comment && commands ? [[comment, commands] as const] : []
  })
  return new Map(blocks)
}

/** Runs commands in a shell of the user, after the printed variables. */
export async function paste(
  commands: string,
  { clone, stranger, started }: { clone: BareClone; stranger: Stranger; started: StartedNpm },
): Promise<string> {
  const [variables = ''] = [...blocksOf(started.output()).values()]
  const { stdout } = await run('sh', ['-e', '-c', `${variables}\n${commands}`], {
    cwd: clone.folder,
    env: started.environment,
    ...(stranger.uid === undefined ? {} : { uid: stranger.uid, gid: stranger.gid }),
  })
  return stdout
}
