import { randomUUID } from 'node:crypto'
import type { TokenIssuer } from '@herald/token-issuer'
import { type Answer, type Request, send } from './http-client.ts'

/** Claims of a user's token; `undefined` omits a claim. */
export type UserClaims = {
  id?: string
  subscriberId?: string
  name?: string | undefined
  picture?: string | undefined
  actor_type?: string | undefined
  scope?: string | undefined
}

export type User = {
  id: string
  subscriberId: string
  token: string
  send(path: string, request?: Request): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, json: unknown, headers?: Record<string, string>): Promise<Answer>
  patch(path: string): Promise<Answer>
}

/** A client with a user's token; by default a new user of a new subscriber with every scope. */
export async function createUser(baseUrl: string, tokens: TokenIssuer, claims: UserClaims = {}): Promise<User> {
  const { id = randomUUID(), subscriberId = randomUUID(), ...others } = claims
  const token = await tokens.sign({ sub: id, subscriber_id: subscriberId, ...others })
  const ask = (path: string, request: Request = {}) => send(`${baseUrl}${path}`, { token, ...request })
  return {
    id,
    subscriberId,
    token,
    send: ask,
    get: (path) => ask(path),
    post: (path, json, headers = {}) => ask(path, { method: 'POST', json, headers }),
    patch: (path) => ask(path, { method: 'PATCH' }),
  }
}
