import type { Recipient } from './feed-model.ts'

type Answer = { status: number; body: { data?: unknown; code?: string } }
export type Client = Recipient & {
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** An HTTP client of Herald with a user's token. */
export function createClient(baseUrl: string, token: string, recipient: Recipient): Client {
  return {
    ...recipient,
    async send(method, path, body, headers = {}) {
      const answer = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          ...headers,
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] }
    },
  }
}
