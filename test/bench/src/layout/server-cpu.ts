import type { Db } from 'mongodb'

/**
 * Runs `task` and adds the CPU time that mongod used meanwhile, in microseconds. Unlike a rate it does not depend on other
 * load of the machine. Only on Linux; not a number on other systems.
 */
export async function withServerCpu<T extends object>(db: Db, task: () => Promise<T>): Promise<T & { cpu: number }> {
  const used = async () => {
    const { extra_info: info } = await db.admin().serverStatus()
    return Number(info.user_time_us) + Number(info.system_time_us)
  }
  const before = await used()
  const result = await task()
  return { ...result, cpu: (await used()) - before }
}
