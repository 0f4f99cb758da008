import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './run.ts'
import type { Workspace } from './workspaces.ts'

/** Returns a line for each obstacle to publishing that is not a problem of a package. */
export async function findObstacles(
  root: string,
  packages: readonly Workspace[],
  repositoryUrl: string | undefined,
): Promise<string[]> {
  const { code, stdout } = await run('git', ['status', '--porcelain'], root)
  const changed = code !== 0 ? ['Not a git checkout'] : stdout.trim() ? ['The working tree has changes'] : []
  const remote = repositoryUrl ? [] : ['No publicly reachable git remote `origin`, so `repository` would have no url']
  const logs = await Promise.all(
    [{ folder: root }, ...packages].map(({ folder }) => join(folder, 'CHANGELOG.md')).map(readLog),
  )
  const version = packages[0]?.manifest.version ?? ''
  const unnamed = logs.filter(({ text }) => !text.includes(`\n## [${version}] - `))
  return [
    ...changed,
    ...remote,
    ...unnamed.map(({ file }) => `${file.slice(root.length)} has no section for ${version}`),
  ]
}

const readLog = async (file: string) => ({ file, text: await readFile(file, 'utf8') })
