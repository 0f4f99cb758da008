import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A look at all connections takes time, which a flood of new ones must not multiply. */
const leastMsBetweenLooks = 100

/**
 * Closes connections beyond this number at once, unless unused ones can be closed to make room. `server.maxConnections` would
 * refuse the new one first.
 */
export function boundConnections(server: Server, most: number): void {
  let open = 0
  let lookedAt = Number.NEGATIVE_INFINITY

  function makeRoom(): void {
    const now = performance.now()
    if (now - lookedAt < leastMsBetweenLooks) return
    lookedAt = now
    server.closeIdleConnections()
  }

  server.on('connection', (socket: Socket) => {
    open++
    socket.once('close', () => open--)
    if (open <= most) return
    makeRoom()
    // Handles are closed at the end of a turn of the event loop.
    setImmediate(() => setImmediate(() => open > most && socket.destroy()))
  })
}
