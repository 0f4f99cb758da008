import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP relay between a client and a server that can cut connections and drop responses. */
export async function createRelay(targetUrl: string) {
  const target = new URL(targetUrl)
  const open = new Set<Socket>()
  let loseAnswers = 0
  let connections = 0

  const server = createServer((client) => {
    connections++
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on('data', (bytes) => {
      if (loseAnswers === 0) return client.write(bytes)
      loseAnswers--
      client.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    /** Breaks every open connection. */
    cut() {
      for (const socket of open) socket.destroy()
    },
    /** Drops the next responses and breaks their connections. */
    loseNext(count: number) {
      loseAnswers = count
    },
    async stop() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
