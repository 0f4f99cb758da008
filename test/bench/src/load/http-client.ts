import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

export type HttpClient = {
  /**
   * Sends the request again while the service answers that it has no room, so that the latency includes the wait.
   *
   * @throws Error when the response is another one than 2xx
   */
  send(method: 'GET' | 'PATCH', path: string, token: string): Promise<string>
}

type Answer = { readonly status: number; readonly text: string }

const retryMs = 50
const withoutRoom = [429, 503]

/** Node's own client, which takes less CPU time than `fetch`. Its connections are reused. */
export function createHttpClient(baseUrl: string): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })

  const sendOnce = (method: string, path: string, token: string): Promise<Answer> =>
    new Promise<Answer>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` }
      const outgoing = request(`${baseUrl}${path}`, { method, agent, headers }, (response) => {
        const pieces: Buffer[] = []
        response.on('error', reject)
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() }))
      })
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The service has closed the unused connection at the same moment, see `reusedSocket` in Node's documentation.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(sendOnce(method, path, token))
        else reject(error)
      })
      outgoing.end()
    })

  return {
    async send(method, path, token) {
      for (;;) {
        const { status, text } = await sendOnce(method, path, token)
        if (status >= 200 && status < 300) return text
        if (!withoutRoom.includes(status)) throw new Error(`${method} ${path} returned ${status}: ${text}`)
        await pause(retryMs)
      }
    },
  }
}
