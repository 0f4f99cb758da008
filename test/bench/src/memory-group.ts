import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import process from 'node:process'

export type MemoryGroup = {
  add(pid: number): Promise<void>
  /** Limits memory and page cache together; what is above is given back at once. */
  limit(bytes: number): Promise<void>
  /** Once its processes have ended. */
  remove(): Promise<void>
}

const root = '/sys/fs/cgroup'

/** Creates a control group of Linux, version 2 or 1. Undefined where this process must not. */
export async function createMemoryGroup(): Promise<MemoryGroup | undefined> {
  const controllers = await readFile(`${root}/cgroup.subtree_control`, 'utf8').catch(() => '')
  const isVersion2 = controllers.split(/\s+/).includes('memory')
  const folder = `${isVersion2 ? root : `${root}/memory`}/herald-bench-${process.pid}`
  const file = isVersion2 ? 'memory.max' : 'memory.limit_in_bytes'
  try {
    await mkdir(folder)
    await readFile(`${folder}/${file}`)
  } catch {
    await rmdir(folder).catch(() => {})
    return undefined
  }
  return {
    add: (pid) => writeFile(`${folder}/cgroup.procs`, String(pid)),
    limit: (bytes) => writeFile(`${folder}/${file}`, String(bytes)),
    remove: () => rmdir(folder),
  }
}
