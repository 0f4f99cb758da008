import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const requirement = 'confluent-kafka==2.16.1'

/** The environment in which `python3` knows librdkafka's client: its own packages, or one fetched by pip and kept. */
export async function findPythonClient(log: (line: string) => void): Promise<NodeJS.ProcessEnv> {
  const environment = { ...process.env, PYTHONUNBUFFERED: '1', PIP_ROOT_USER_ACTION: 'ignore' }
  if (await knowsClient(environment)) return environment
  const { stdout } = await run('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'])
  const folder = join(cacheFolder(), `${requirement.replace('==', '-')}-python-${stdout.trim()}`)
  if (!existsSync(folder)) {
    log('Fetching confluent-kafka through pip.')
    const partial = `${folder}.partial-${process.pid}`
    await mkdir(partial, { recursive: true })
    try {
      const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--no-compile']
      await run('python3', [...install, '--target', partial, requirement], { env: environment })
      await rename(partial, folder).catch((error) => {
        if (!existsSync(folder)) throw error
      })
    } finally {
      await rm(partial, { recursive: true, force: true })
    }
  }
  const found = { ...environment, PYTHONPATH: folder }
  if (!(await knowsClient(found))) throw new Error(`${folder} holds no client that this python3 can load.`)
  return found
}

function knowsClient(environment: NodeJS.ProcessEnv): Promise<boolean> {
  return run('python3', ['-c', 'import confluent_kafka'], { env: environment }).then(
    () => true,
    () => false,
  )
}

/** The same place in which the local stack keeps what it fetches. */
function cacheFolder(): string {
  const { HERALD_CACHE, XDG_CACHE_HOME, HOME } = process.env
  if (HERALD_CACHE) return resolve(HERALD_CACHE)
  return join(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'herald')
}
