import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** The folder of fetched programs: `HERALD_CACHE`, or else `herald` in the user's cache folder. */
export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  if (environment.HERALD_CACHE) return resolve(environment.HERALD_CACHE)
  return join(environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache'), 'herald')
}

export function isCached(environment: NodeJS.ProcessEnv, name: string): boolean {
  return existsSync(join(cacheFolder(environment), name))
}

/**
 * Returns the cached folder `name`, filling it if it is missing. It is filled under another name and then renamed, so an
 * interrupted download is never used, and of two concurrent runs the first one's folder is kept.
 */
export async function cachedFolder(cache: string, name: string, fill: (folder: string) => Promise<void>) {
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  await removeAbandoned(cache)
  const partial = `${folder}.partial-${process.pid}-${randomUUID().slice(0, 8)}`
  await mkdir(partial, { recursive: true })
  try {
    await fill(partial)
    await rename(partial, folder).catch((error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
  return folder
}

async function removeAbandoned(cache: string) {
  for (const name of await readdir(cache).catch(() => [])) {
    const pid = /\.partial-(\d+)-/.exec(name)?.[1]
    if (pid && !isRunning(Number(pid))) await rm(join(cache, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
