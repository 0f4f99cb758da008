import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export type StartedCeiling = { readonly url: string; readonly pid: number; stop(): Promise<void> }

const file = fileURLToPath(new URL('../ceilings/query.ts', import.meta.url))
const startsWithinMs = 30_000

/** Runs `ceilings/query.ts` in one of its modes, and waits until it listens. */
export async function startCeiling(mode: string, mongodbUri: string, database: string): Promise<StartedCeiling> {
  const port = await findFreePort()
  const env = { ...process.env, MODE: mode, MONGODB_URI: mongodbUri, MONGODB_DATABASE: database, PORT: String(port) }
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const url = `http://127.0.0.1:${port}`
  await untilListening(child, url)
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      const gone = once(child, 'exit')
      if (child.exitCode === null && kill()) await gone
      process.off('exit', kill)
    },
  }
}

async function untilListening(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + startsWithinMs
  for (;;) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer) return
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('A ceiling did not start')
    await pause(20)
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
