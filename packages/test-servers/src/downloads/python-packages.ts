import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type FindOptions, withDefaults } from '../find-options.ts'
import { findCommand, runCommand } from '../processes/commands-on-path.ts'
import { cachedFolder, cacheFolder } from './cache-folder.ts'

export type PythonPackages = {
  /** The interpreter of the packages. */
  python: string
  /** The folder of the packages, for `PYTHONPATH`. */
  folder: string
}

/**
 * Fetches the packages of a requirements file once to the cache folder, without changing the system's Python.
 * Throws when there is no Python with pip or when the packages cannot be fetched.
 *
 * @param name prefix of the folder name, before the version of Python and a hash of the file
 */
export async function fetchPythonPackages(
  name: string,
  requirementsFile: string,
  options: Partial<FindOptions> = {},
): Promise<PythonPackages> {
  const { environment, log } = withDefaults(options)
  const python = findCommand('python3', environment)
  if (!python) throw new Error('python3 is not on the PATH.')
  const run = (...args: string[]) => runCommand(python, args, { environment: { ...environment, ...quietPip } })
  const version = (await run('-c', 'import sys; print("%d.%d" % sys.version_info[:2])')).trim()
  const hash = createHash('sha256').update(await readFile(requirementsFile))
  const folderName = `${name}-python-${version}-${hash.digest('hex').slice(0, 12)}`
  const folder = await cachedFolder(cacheFolder(environment), folderName, async (partial) => {
    log(`Fetching ${name}.`)
    await run('-m', 'pip', 'install', '--quiet', '--no-compile', '--target', partial, '--requirement', requirementsFile)
  })
  return { python, folder }
}

const quietPip = { PIP_ROOT_USER_ACTION: 'ignore', PIP_DISABLE_PIP_VERSION_CHECK: '1' }
