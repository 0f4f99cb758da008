import { spawnSync } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FindOptions } from '../find-options.ts'
import { findCommand, runCommand } from '../processes/commands-on-path.ts'
import { watchSize } from './folder-size.ts'

/** Unpacks a Python package without its dependencies to `folder`. */
export async function unpackPipPackage(
  requirement: string,
  folder: string,
  { environment, onProgress }: Required<Pick<FindOptions, 'environment' | 'onProgress'>>,
) {
  const python = findCommand('python3', environment)
  if (!python) throw new Error('python3 is not on the PATH.')
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--no-compile']
  const name = `Fetching ${requirement.split('==', 1)[0]}`
  // pip downloads to this folder, so that its size shows the progress.
  const temporary = join(folder, 'temporary')
  await mkdir(temporary)
  const watch = watchSize(temporary, (amount) => onProgress(name, amount))
  try {
    await runCommand(python, [...install, '--target', folder, requirement], {
      environment: { ...environment, PIP_ROOT_USER_ACTION: 'ignore', TMPDIR: temporary },
    })
  } finally {
    watch.stop()
    onProgress(name, undefined)
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Returns why pip cannot be used here, or undefined. */
export function whyNoPip(environment: NodeJS.ProcessEnv): string | undefined {
  const python = findCommand('python3', environment)
  if (!python) return 'python3 is not on the PATH'
  const { status } = spawnSync(python, ['-m', 'pip', '--version'], { env: environment })
  return status === 0 ? undefined : 'python3 has no pip'
}
