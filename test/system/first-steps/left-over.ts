import { readdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import type { BareClone } from './bare-clone.ts'
import type { StartedNpm } from './npm-start.ts'

/** Returns everything left over from a start: processes with its mark, open ports, folders. */
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

/** Returns the open ports among the printed addresses: those of the gateway, Kafka and MongoDB. */
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

/** Waits until nothing is left over; throws with the list after half a minute. */
export async function untilNothingIsLeft(started: StartedNpm, clone: BareClone) {
  const deadline = Date.now() + 30_000
  for (;;) {
    const left = await leftOver(started, clone)
    if (left.length === 0) return
    if (Date.now() > deadline) throw new Error(`Left over:\n${left.join('\n')}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
