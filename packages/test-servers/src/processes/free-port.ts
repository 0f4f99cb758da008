import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

// Below the ranges from which Linux (32768) and macOS (49152) take the local ports of outgoing connections: such a port
// could be taken between this check and the moment at which a program listens on it.
const firstPort = 15_000
const endPort = 32_000
const attemptsPerPort = 100

/** Those returned before: their programs may not listen yet, or are started again. */
const returned = new Set<number>()

/** Different ports of the loopback address on which nothing listens at the moment, and that were not returned before. */
export async function findFreePorts(count: number): Promise<number[]> {
  // All are open at once, so that no port is returned twice.
  const found: { port: number; server: Server }[] = []
  try {
    for (let attempt = 0; found.length < count; attempt++) {
      if (attempt === count * attemptsPerPort) throw new Error(`No ${count} free ports below ${endPort}`)
      const port = randomInt(firstPort, endPort)
      const server = returned.has(port) ? undefined : await listenOn(port)
      if (server === undefined) continue
      found.push({ port, server })
      returned.add(port)
    }
    return found.map(({ port }) => port)
  } finally {
    await Promise.all(found.map(({ server }) => once(server.close(), 'close')))
  }
}

/** Whether nothing listens on a port of the loopback address. */
export async function isFree(port: number): Promise<boolean> {
  const server = await listenOn(port)
  if (server) await once(server.close(), 'close')
  return server !== undefined
}

async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return server
  } catch {
    return undefined
  }
}

/** A port of the loopback address on which nothing listens at the moment. */
export async function findFreePort(): Promise<number> {
  const [port] = (await findFreePorts(1)) as [number]
  return port
}
