import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Different ports of the loopback address that are free at the moment. */
export async function findFreePorts(count: number): Promise<number[]> {
  // All are open at once, so that no port is handed out twice.
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

/** A port of the loopback address that is free at the moment. */
export async function findFreePort(): Promise<number> {
  const [port] = (await findFreePorts(1)) as [number]
  return port
}
