import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { createPipe, type Pipe } from './proxy-pipe.ts'

/** What becomes of what passes. `silent`: nothing arrives and nobody is told, as when a cable is pulled. */
export type ProxyMode = 'pass' | 'silent' | 'reset' | { readonly delayMs: number }

export interface TcpProxy {
  port: number
  setMode(mode: ProxyMode): void
  stop(): Promise<void>
}

interface Connection {
  client: Socket
  upstream: Socket
  pipes: Pipe[]
  /** Known with the first bytes. */
  concerned: boolean | undefined
}

export interface TcpProxyOptions {
  targetPort: number
  /** The port to listen on; a free one unless told. */
  port?: number
  /** Whether a connection that begins with these bytes is one that a fault strikes; all are unless told. */
  concerns?: (first: Buffer) => boolean
}

export async function startTcpProxy({
  targetPort,
  port = 0,
  concerns = () => true,
}: TcpProxyOptions): Promise<TcpProxy> {
  const connections = new Set<Connection>()
  let mode: ProxyMode = 'pass'

  const apply = (connection: Connection): void => {
    const current = connection.concerned ? mode : 'pass'
    if (current === 'reset') destroy(connection)
    else for (const pipe of connection.pipes) pipe.setMode(current)
  }
  const destroy = ({ client, upstream }: Connection): void => {
    client.destroy()
    upstream.destroy()
  }

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: targetPort, host: '127.0.0.1', noDelay: true })
    const pipes = [createPipe(client, upstream), createPipe(upstream, client)]
    const connection: Connection = { client, upstream, pipes, concerned: undefined }
    connections.add(connection)
    client.once('data', (first) => {
      connection.concerned = concerns(first)
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
