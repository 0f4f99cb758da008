import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Finds different ports that are currently free on the loopback address. */
export async function findFreePorts(count: number): Promise<number[]> {
  // All are open at the same time, so that no port is returned twice.
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

/** Finds a port that is currently free on the loopback address. */
export async function findFreePort(): Promise<number> {
  const [port] = (await findFreePorts(1)) as [number]
  return port
}
