import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ranges from which Linux (32768) and macOS (49152) take the local ports of outgoing connections: such a port
// could be taken between this check and the moment at which a program listens on it.
const firstPort = 15_000
const endPort = 32_000
const attemptsPerPort = 100

/** The ports returned before: their programs may not listen yet, or are started again. */
const returned = new Set<number>()

/** Different ports of the loopback address on which nothing listens at the moment, and that were not returned before. */
export async function findFreePorts(count: number): Promise<number[]> {
  const found: number[] = []
  for (let attempt = 0; found.length < count; attempt++) {
    if (attempt === count * attemptsPerPort) throw new Error(`No ${count} free ports below ${endPort}`)
    const port = randomInt(firstPort, endPort)
    if (returned.has(port) || !(await isFree(port))) continue
    // Concurrent calls may have found the same one.
    if (!returned.has(port)) found.push(port)
    returned.add(port)
  }
  return found
}

/** Whether nothing listens on a port of the loopback address. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}

/** A port of the loopback address on which nothing listens at the moment. */
export async function findFreePort(): Promise<number> {
  const [port] = (await findFreePorts(1)) as [number]
  return port
}
