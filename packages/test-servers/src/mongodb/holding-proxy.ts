import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type HoldingProxy = {
  readonly uri: string
  /** Withholds messages to MongoDB that match, as if it were slow with these and nothing else. */
  readonly hold: (matches: (message: Buffer) => boolean) => void
  /** How many connections wait with a message, and have waited at most since. */
  readonly held: () => number
  readonly most: () => number
  /** Passes these messages on, and those that come later. */
  readonly release: () => void
  readonly stop: () => Promise<void>
}

/** Starts a proxy before the first server of a URI; with it, a test decides what MongoDB has not answered yet. */
export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  const [host = '', port] = new URL(target.replace(/,[^/]*/, '')).host.split(':')
  const sockets = new Set<Socket>()
  const waiting = new Set<() => void>()
  let isHeld = (_: Buffer): boolean => false
  let most = 0

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host, port: Number(port), noDelay: true })
    let received: Buffer = Buffer.alloc(0)
    let isWaiting = false
    const passOn = (): void => {
      for (let size = sizeOf(received); !isWaiting && size <= received.length; size = sizeOf(received)) {
        const message = received.subarray(0, size)
        if (isHeld(message)) {
          isWaiting = true
          waiting.add(goOn)
          most = Math.max(most, waiting.size)
        } else {
          upstream.write(message)
          received = received.subarray(size)
        }
      }
    }
    const goOn = (): void => {
      isWaiting = false
      passOn()
    }
    client.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      passOn()
    })
    upstream.pipe(client)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        waiting.delete(goOn)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    uri: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`,
    hold(matches) {
      isHeld = matches
      most = 0
    },
    held: () => waiting.size,
    most: () => most,
    release() {
      isHeld = () => false
      for (const goOn of waiting) goOn()
      waiting.clear()
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The size of the first message: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/#standard-message-header */
const sizeOf = (received: Buffer): number => (received.length < 4 ? Infinity : received.readInt32LE(0))
