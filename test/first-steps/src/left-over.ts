import { readdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import type { BareClone } from './bare-clone.ts'
import type { StartedNpm } from './npm-start.ts'

/** Everything that is still there of a start: processes that carry its mark, ports that answer, folders. */
export async function leftOver(started: StartedNpm, { temporary }: BareClone): Promise<string[]> {
  const folders = (await readdir(temporary)).filter((name) => name.startsWith('herald-'))
  return [...(await processesWith(started.mark)), ...(await openPorts(started.output())), ...folders]
}

async function processesWith(mark: string) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = pids.map(async (pid) => {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    if (!environment.includes(mark)) return []
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return [`process ${pid}: ${command.replaceAll('\0', ' ').slice(0, 200)}`]
  })
  return (await Promise.all(found)).flat()
}

/** Of the addresses that were printed: the gateway's, Kafka's and MongoDB's. */
async function openPorts(output: string) {
  const ports = new Set([...output.matchAll(/(?:127\.0\.0\.1|localhost):(\d+)/g)].map(([, port]) => Number(port)))
  const open = await Promise.all([...ports].map(async (port) => ((await answers(port)) ? [`port ${port}`] : [])))
  return open.flat()
}

function answers(port: number) {
  return new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** Looks until nothing is left; throws with what still is after half a minute. */
export async function untilNothingIsLeft(started: StartedNpm, clone: BareClone) {
  const deadline = Date.now() + 30_000
  for (;;) {
    const left = await leftOver(started, clone)
    if (left.length === 0) return
    if (Date.now() > deadline) throw new Error(`Still there:\n${left.join('\n')}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
