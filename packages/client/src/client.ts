import { type ChangeEntries, createChangeEntries } from './change-entries.ts'
import { createHttp } from './http.ts'
import { createNotifications, type Notifications } from './notifications.ts'
import { type RetryOptions, retryDefaults } from './retry.ts'
import { createFollow } from './stream.ts'
import { createTokens, type TokenSource } from './token.ts'

export type HeraldClientOptions = {
  /** Where Herald is, with the version that stands before its paths, such as `https://api.example/v1`. */
  readonly baseUrl: string
  readonly token: TokenSource
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  readonly retry?: Partial<RetryOptions>
  /** What one attempt may take until its answer is there, in milliseconds; 30,000 when not said. */
  readonly timeoutMs?: number
  /** After how long without a sign of life a stream is opened anew, in milliseconds; 45,000 when not said. */
  readonly streamSilenceMs?: number
}

export type HeraldClient = { readonly notifications: Notifications; readonly changeEntries: ChangeEntries }

/**
 * A client of Herald's HTTP interface. Its calls reject with a `HeraldProblem` when Herald refuses, with a
 * `HeraldConnectionError` when no whole answer came, and with the signal's reason when they are aborted.
 */
export function createHeraldClient(options: HeraldClientOptions): HeraldClient {
  const { baseUrl, token, timeoutMs = 30_000, streamSilenceMs = 45_000 } = options
  const retry = { ...retryDefaults, ...options.retry }
  // Looked up at each call: what a page or a test puts in its place later is used.
  const fetch: typeof globalThis.fetch = options.fetch ?? ((...request) => globalThis.fetch(...request))
  const http = createHttp({ baseUrl, tokens: createTokens(token), fetch, retry, timeoutMs })
  const follow = createFollow({ http, silenceMs: streamSilenceMs, ...retry, maxPauseMs: 30_000 })
  return { notifications: createNotifications({ http, follow }), changeEntries: createChangeEntries({ http }) }
}
