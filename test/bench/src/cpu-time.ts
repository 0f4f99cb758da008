import { readdir, readFile, readlink } from 'node:fs/promises'
import { processUsage } from './process-usage.ts'

/** The processes whose CPU time is measured; a server that is not a process of this machine is left out. */
export type MeasuredProcesses = Readonly<Partial<Record<'mongod' | 'broker', number>>> & {
  /** All its processes, if it has several. */
  readonly service?: number | readonly number[]
}

/** CPU time per operation in microseconds. */
export type CpuTime = Readonly<Partial<Record<keyof MeasuredProcesses, number>>>

/** Runs `task` and divides the CPU time that each process used meanwhile by the number of operations. */
export async function withCpuTime<Result>(
  processes: MeasuredProcesses,
  task: () => Promise<Result>,
  operationsOf: (result: Result) => number,
): Promise<Result & { readonly cpu: CpuTime }> {
  const before = await cpuSeconds(processes)
  const result = await task()
  const after = await cpuSeconds(processes)
  return { ...result, cpu: cpuPerOperation(before, after, operationsOf(result)) }
}

export function cpuPerOperation(before: CpuTime, after: CpuTime, operations: number): CpuTime {
  const perOperation = (name: keyof CpuTime) => (((after[name] ?? 0) - (before[name] ?? 0)) / operations) * 1e6
  return Object.fromEntries(Object.keys(after).map((name) => [name, perOperation(name as keyof CpuTime)]))
}

/** CPU seconds since the start of each process; the sum of a service's. */
export async function cpuSeconds(processes: MeasuredProcesses): Promise<CpuTime> {
  const usages = Object.entries<number | readonly number[]>(processes).map(async ([name, pids]) => {
    const all = await Promise.all([pids].flat().map(processUsage))
    return [name, all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)] as const
  })
  return Object.fromEntries(await Promise.all(usages))
}

/** Collects the CPU times of rounds by process. */
export function cpuTimes(rounds: readonly { readonly cpu: CpuTime }[]) {
  const names = Object.keys(rounds[0]?.cpu ?? {}) as (keyof CpuTime)[]
  return Object.fromEntries(names.map((name) => [name, rounds.map(({ cpu }) => cpu[name] ?? Number.NaN)]))
}

/** Finds MongoDB and the broker by their ports, if they are processes of this machine; only on Linux. */
export async function serverProcesses(servers: {
  readonly kafkaBrokers: readonly string[]
  readonly mongodbUri: string
}): Promise<MeasuredProcesses> {
  const mongod = await processListening(portOf(new URL(servers.mongodbUri).host), 'mongod')
  const broker = await processListening(portOf(servers.kafkaBrokers[0] ?? ''), 'java')
  return { ...(mongod && { mongod }), ...(broker && { broker }) }
}

const portOf = (host: string) => Number(host.split(':').at(-1))

/** Returns the process with this name that listens on the port; a container's proxy has another name. */
async function processListening(port: number, name: string): Promise<number | undefined> {
  const sockets = (await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(read))).flatMap((table) =>
    table
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => state === '0A' && Number.parseInt(local?.split(':')[1] ?? '', 16) === port)
      .map((fields) => `socket:[${fields[9]}]`),
  )
  for (const pid of (await readdir('/proc').catch(() => [])).filter((entry) => /^\d+$/.test(entry))) {
    if ((await read(`/proc/${pid}/comm`)).trim() !== name) continue
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
    const links = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
    if (links.some((link) => sockets.includes(link))) return Number(pid)
  }
  return undefined
}

const read = (file: string) => readFile(file, 'utf8').catch(() => '')
