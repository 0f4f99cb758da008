import { readFile } from 'node:fs/promises'

const ticksPerSecond = 100
const bytesPerKib = 1024

/** CPU time and memory of a process as Linux reports them; not a number on other systems. */
export type ProcessUsage = {
  /** User and system time of all its threads. */
  readonly cpuSeconds: number
  readonly memoryBytes: number
  readonly peakMemoryBytes: number
}

export async function processUsage(pid: number): Promise<ProcessUsage> {
  const [stat, status] = await Promise.all([read(`/proc/${pid}/stat`), read(`/proc/${pid}/status`)])
  // The name in parentheses may contain spaces: fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * bytesPerKib
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    memoryBytes: bytes('VmRSS'),
    peakMemoryBytes: bytes('VmHWM'),
  }
}

/** Bytes that a process has read and written, on sockets too; hardly more than those where it uses no files. */
export async function transferredBytes(pid: number): Promise<number> {
  const io = await read(`/proc/${pid}/io`)
  const bytes = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(io)?.[1] ?? Number.NaN)
  return bytes('rchar') + bytes('wchar')
}

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}
