import { createDeadline, type Deadline } from './deadline.ts'
import { HeraldProblem } from './errors.ts'
import { abortable, pause } from './pause.ts'
import { readProblem } from './problem.ts'
import { pauseBefore, type RetryOptions } from './retry.ts'
import type { Tokens } from './token.ts'

/** Options of every call. */
export type CallOptions = {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Sends the request even if the page is left at this moment. Uses the latest token, because asking for one may take longer
   * than the page lives.
   */
  readonly keepalive?: boolean | undefined
  /** Asks once, because it is asked again later, and takes the last response again if Herald says that nothing has changed. */
  readonly poll?: boolean | undefined
}

export type Call = CallOptions & {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Whether the call may be retried if its outcome is unknown; after a 429 it always may. */
  readonly repeatable?: boolean
}

/** A response with an unread body; its reader extends and ends the deadline. */
export type OpenResponse = { readonly response: Response; readonly token: string; readonly deadline: Deadline }

export type HttpOptions = {
  readonly baseUrl: string
  readonly tokens: Tokens
  readonly fetch: typeof globalThis.fetch
  readonly retry: RetryOptions
  readonly timeoutMs: number
  /** Aborted when the client is closed. */
  readonly closed: AbortSignal
}

export type Http = ReturnType<typeof createHttp>

/** Responses that are kept to be polled. */
const keptResponses = 8

/** Sends requests with a token and a timeout, and retries them. */
export function createHttp({ baseUrl, tokens, fetch, retry, timeoutMs, closed }: HttpOptions) {
  const base = baseUrl.replace(/\/+$/, '')
  const kept = new Map<string, { readonly tag: string; readonly data: unknown }>()
  tokens.onUser(() => kept.clear())

  async function request(call: Call, deadline: Deadline, token: string): Promise<OpenResponse> {
    const { signal } = deadline
    const { method = 'GET', path, body, keepalive = false } = call
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await deadline.during(() =>
      fetch(`${base}${path}`, { method, headers, signal, keepalive, ...content }),
    )
    if (response.ok || response.status === 304) return { response, token, deadline }
    throw await deadline.during(() => readProblem(response))
  }

  /** Sends a request once, or twice if the first token is rejected. On success the deadline keeps running. */
  async function openOnce(call: Call, expired?: string): Promise<OpenResponse> {
    const deadline = createDeadline(timeoutMs, call.signal ? AbortSignal.any([closed, call.signal]) : closed)
    const { signal } = deadline
    try {
      signal.throwIfAborted()
      const known = call.keepalive ? tokens.latest() : undefined
      const token = known ?? (await abortable(expired === undefined ? tokens.get() : tokens.renew(expired), signal))
      return await request(call, deadline, token).catch(async (error) => {
        if (!tokens.canRenew || !(error instanceof HeraldProblem) || error.status !== 401) throw error
        const renewed = await abortable(tokens.renew(token), signal)
        if (renewed === token) throw error
        return request(call, deadline, renewed)
      })
    } catch (error) {
      deadline.release()
      throw error
    }
  }

  async function jsonOnce<T>(call: Call): Promise<T> {
    const { path } = call
    const known = call.poll ? kept.get(path) : undefined
    const headers = { ...call.headers, ...(known && { 'if-none-match': known.tag }) }
    const { response, deadline } = await openOnce({ ...call, headers })
    try {
      if (known && response.status === 304) return known.data as T
      const { data } = await deadline.during(() => response.json() as Promise<{ data: T }>)
      const tag = response.headers.get('etag')
      if (call.poll && tag) {
        if (kept.size >= keptResponses) kept.clear()
        kept.set(path, { tag, data })
      }
      return data
    } finally {
      deadline.release()
    }
  }

  async function emptyOnce(call: Call): Promise<void> {
    const { response, deadline } = await openOnce(call)
    await deadline.during(() => response.arrayBuffer()).finally(() => deadline.release())
  }

  async function retried<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await attempt()
      } catch (error) {
        call.signal?.throwIfAborted()
        if (call.poll || closed.aborted) throw error
        const milliseconds = pauseBefore(error, { failures, repeatable: call.repeatable ?? true, ...retry })
        if (milliseconds === undefined) throw error
        await pause(milliseconds, call.signal)
      }
    }
  }

  return {
    /** Returns the `data` of a JSON response. */
    json: <T>(call: Call) => retried(call, () => jsonOnce<T>(call)),
    /** For a response without a body. */
    empty: (call: Call) => retried(call, () => emptyOnce(call)),
    /** Returns a response to be streamed. Failures while reading it are not retried. */
    open: (call: Call) => retried(call, () => openOnce(call)),
    /** Like `open`, without retries; with a token other than `expired`. */
    openOnce,
  }
}
