import { connect } from 'node:net'

const pieceBytes = 64 * 1024
const lastChunk = '0\r\n\r\n'

/**
 * Reads the whole response to a GET, discards it and returns its size. Reads the socket directly: `fetch` would use half as much CPU as the
 * service itself, on the same cores.
 *
 * @throws Error when the response is not 200 or incomplete
 */
export function takeAll(url: string, token: string): Promise<number> {
  const { hostname, port, pathname, host } = new URL(url)
  const buffer = Buffer.alloc(pieceBytes)
  let opening = ''
  let closing = ''
  let bytes = 0
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      onread: {
        buffer,
        callback(length) {
          if (opening === '') opening = buffer.toString('latin1', 0, 12)
          const tail = buffer.toString('latin1', Math.max(0, length - lastChunk.length), length)
          bytes += length
          closing = (closing + tail).slice(-lastChunk.length)
          return true
        },
      },
    })
    socket.once('error', reject)
    socket.once('end', () => {
      if (opening === 'HTTP/1.1 200' && closing === lastChunk) resolve(bytes)
      else
        reject(
          new Error(
            `Incomplete response: begins with ${JSON.stringify(opening)}, ends with ${JSON.stringify(closing)}`,
          ),
        )
    })
    const headers = [
      `host: ${host}`,
      `authorization: Bearer ${token}`,
      'accept-encoding: identity',
      'connection: close',
    ]
    socket.write(`GET ${pathname} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  })
}
