import { once } from 'node:events'
import { createServer } from 'node:net'

const DEFAULT_PORT = 8080
const LAST_PORT = 65_535
const TRIED = 50

/** The port that `PORT` asks for, or 8080. Throws when it is not the number of a port. */
export function readPort(text: string | undefined): number {
  if (!text) return DEFAULT_PORT
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= LAST_PORT) return port
  throw new Error(`PORT is ${JSON.stringify(text)}; it has to be a whole number from 1 to ${LAST_PORT}.`)
}

/** The first port from `wanted` on where nobody listens. */
export async function findPort(wanted: number): Promise<number> {
  const last = Math.min(wanted + TRIED - 1, LAST_PORT)
  for (let port = wanted; port <= last; port += 1) if (await isFree(port)) return port
  throw new Error(`The ports from ${wanted} to ${last} are all taken; PORT names another one.`)
}

async function isFree(port: number) {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
