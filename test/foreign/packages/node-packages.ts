import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { outside } from './packed.ts'
import { succeed } from './run.ts'

/** Installs the newest Node.js that matches the version through npm into the cache folder, and returns its path. */
export async function fetchNode(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`
  const { HERALD_CACHE, XDG_CACHE_HOME, HOME } = process.env
  const cache = HERALD_CACHE || join(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'herald')
  const folder = join(cache, `${name}-${version}`)
  const file = join(folder, 'node_modules', name, 'bin', 'node')
  if (existsSync(file)) return file
  const partial = `${folder}.partial-${process.pid}-0`
  await mkdir(partial, { recursive: true })
  try {
    const args = ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', `${name}@${version}`]
    await succeed('npm', args, { folder: partial, environment: outside() })
    await rename(partial, folder)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
  return file
}
