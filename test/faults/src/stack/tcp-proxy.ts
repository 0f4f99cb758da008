import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { createPipe, type Pipe } from './proxy-pipe.ts'

/** How the proxy treats data. `silent`: nothing arrives and no connection is closed, as when a cable is pulled. */
export type ProxyMode = 'pass' | 'silent' | 'reset' | { readonly delayMs: number }

export type TcpProxy = {
  port: number
  setMode(mode: ProxyMode): void
  stop(): Promise<void>
}

type Connection = {
  client: Socket
  upstream: Socket
  pipes: Pipe[]
  /** Whether faults apply to it; known with the first bytes. */
  isAffected: boolean | undefined
}

export type TcpProxyOptions = {
  /** A function is called for each new connection. */
  targetPort: number | (() => number)
  /** The port to listen on; a free one by default. */
  port?: number
  /** Whether faults apply to a connection that begins with these bytes; to all by default. */
  isAffected?: (first: Buffer) => boolean
}

export async function startTcpProxy({
  targetPort,
  port = 0,
  isAffected = () => true,
}: TcpProxyOptions): Promise<TcpProxy> {
  const connections = new Set<Connection>()
  let mode: ProxyMode = 'pass'

  const apply = (connection: Connection): void => {
    const current = connection.isAffected ? mode : 'pass'
    if (current === 'reset') destroy(connection)
    else for (const pipe of connection.pipes) pipe.setMode(current)
  }
  const destroy = ({ client, upstream }: Connection): void => {
    client.destroy()
    upstream.destroy()
  }

  const server = createServer({ noDelay: true }, (client) => {
    const port = typeof targetPort === 'number' ? targetPort : targetPort()
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true })
    const pipes = [createPipe(client, upstream), createPipe(upstream, client)]
    const connection: Connection = { client, upstream, pipes, isAffected: undefined }
    connections.add(connection)
    client.once('data', (first) => {
      connection.isAffected = isAffected(first)
      apply(connection)
    })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => {})
      socket.on('close', () => {
        connections.delete(connection)
        other.destroy()
      })
    }
    for (const pipe of pipes) pipe.start()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    setMode(next) {
      mode = next
      for (const connection of [...connections]) apply(connection)
    },
    async stop() {
      for (const connection of connections) destroy(connection)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
