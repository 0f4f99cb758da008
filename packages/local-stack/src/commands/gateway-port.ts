import { once } from 'node:events'
import { createServer } from 'node:net'

const TRIED = 50

/** The first port from `wanted` on where nobody listens. */
export async function findPort(wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + TRIED; port += 1) if (await isFree(port)) return port
  throw new Error(`The ports from ${wanted} to ${wanted + TRIED - 1} are all taken.`)
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
