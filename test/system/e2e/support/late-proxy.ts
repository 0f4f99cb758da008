import { connect, createServer, type Socket } from 'node:net'
import { findFreePort } from '@herald/test-servers'

/** Passes on what a MongoDB answers only after a while, as if it were a region away. Everything of a replica set of one goes through it. */
export async function startLateProxy(mongodbUri: string, lateMs: number) {
  const { hostname, port } = new URL(mongodbUri.replace(/^mongodb:/, 'http:'))
  const server = createServer((client) => passOn(client, connect(Number(port), hostname), lateMs))
  const own = await findFreePort()
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve))
  return { uri: `mongodb://127.0.0.1:${own}/?directConnection=true`, stop: () => void server.close() }
}

function passOn(client: Socket, server: Socket, lateMs: number): void {
  client.on('data', (bytes) => server.write(bytes))
  server.on('data', (bytes) => setTimeout(() => client.destroyed || client.write(bytes), lateMs))
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on('error', () => {})
    one.on('close', () => other.destroy())
  }
}
