import type { Person } from './feed-model.ts'

export type Answer = { status: number; body: { data?: unknown; code?: string } }
export type Client = Person & {
  send(method: string, path: string, body?: unknown): Promise<Answer>
}

/** Somebody who talks to Herald with a token of his own. */
export function createClient(baseUrl: string, token: string, person: Person): Client {
  return {
    ...person,
    async send(method, path, body) {
      const answer = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: answer.status, body: (await answer.json()) as Answer['body'] }
    },
  }
}
