import { get, type IncomingMessage } from 'node:http'

export type StreamReaders = {
  /** Opens a stream per token; resolves when each has its first count, the last thing that an opening causes. */
  open(baseUrl: string, tokens: readonly string[]): Promise<void>
  close(): void
}

const anchor = /"anchorId":"anchor-(\d+)"/

/** Many open streams that report each mention by the number in its anchor. */
export function createStreamReaders(onMention: (sequence: number) => void): StreamReaders {
  const streams: IncomingMessage[] = []

  const openOne = (baseUrl: string, token: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
      const request = get(`${baseUrl}/notifications/stream`, { headers, agent: false }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`A stream returned ${response.statusCode}`))
        streams.push(response)
        let rest = ''
        response.setEncoding('utf8')
        response.on('error', () => {})
        response.on('data', (text: string) => {
          const lines = (rest + text).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) {
            if (line === 'event: unread-count') resolve()
            const found = line.startsWith('data:') ? anchor.exec(line) : null
            if (found) onMention(Number(found[1]))
          }
        })
      })
      request.on('error', reject)
    })

  return {
    async open(baseUrl, tokens) {
      for (let start = 0; start < tokens.length; start += 50) {
        await Promise.all(tokens.slice(start, start + 50).map((token) => openOne(baseUrl, token)))
      }
    },
    close() {
      for (const stream of streams) stream.destroy()
    },
  }
}
