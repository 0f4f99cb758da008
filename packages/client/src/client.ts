import { type ChangeEntries, createChangeEntries } from './change-entries.ts'
import { HeraldConnectionError } from './errors.ts'
import { createHttp } from './http.ts'
import { createMutes, type Mutes } from './mutes.ts'
import { createNotifications, type Notifications } from './notifications.ts'
import { type RetryOptions, retryDefaults } from './retry.ts'
import { createSharedFollow } from './shared-stream.ts'
import { createFollow } from './stream.ts'
import { createTokens, type TokenSource, type Tokens } from './token.ts'

export type HeraldClientOptions = {
  /** URL of Herald, including the version in front of its paths, such as `https://api.example/v1`. */
  readonly baseUrl: string
  readonly token: TokenSource
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  readonly retry?: Partial<RetryOptions>
  /** Timeout for the response of one attempt in milliseconds; default 30,000. */
  readonly timeoutMs?: number
  /** Milliseconds of silence after which a stream is reopened; default 45,000. */
  readonly streamSilenceMs?: number
}

export type HeraldClient = {
  readonly notifications: Notifications
  readonly mutes: Mutes
  readonly changeEntries: ChangeEntries
  /** The user that the tokens are for. */
  readonly session: Pick<Tokens, 'user' | 'onUser'>
  /** Ends all streams and calls; later ones reject. */
  readonly close: () => void
}

/**
 * Creates a client of Herald's HTTP API. Calls reject with a `HeraldProblem` for an error response, with a
 * `HeraldConnectionError` if no complete response was received, and with the signal's reason if they are aborted.
 */
export function createHeraldClient(options: HeraldClientOptions): HeraldClient {
  const { baseUrl, token, timeoutMs = 30_000, streamSilenceMs = 45_000 } = options
  const retry = { ...retryDefaults, ...options.retry }
  // Looked up at each call, so that a later replacement of the global is used.
  const fetch: typeof globalThis.fetch = options.fetch ?? ((...request) => globalThis.fetch(...request))
  const tokens = createTokens(token)
  const closing = new AbortController()
  const closed = closing.signal
  const http = createHttp({ baseUrl, tokens, fetch, retry, timeoutMs, closed })
  const connect = createFollow({ http, silenceMs: streamSilenceMs, ...retry, maxPauseMs: 30_000, closed })
  const follow = createSharedFollow({ follow: connect, user: tokens.user, baseUrl, silenceMs: streamSilenceMs, closed })
  return {
    notifications: createNotifications({ http, follow }),
    mutes: createMutes({ http }),
    changeEntries: createChangeEntries({ http }),
    session: { user: tokens.user, onUser: tokens.onUser },
    close: () => closing.abort(new HeraldConnectionError('The client is closed')),
  }
}
