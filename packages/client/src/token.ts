import { HeraldSignedOut } from './errors.ts'
import { userOfToken } from './user-of-token.ts'

type Nothing = null | undefined | ''

/**
 * The bearer token, or a function that returns it and is called before each request. `refresh` is true after a token was rejected
 * (401), so that the function does not return a cached one. It returns nothing if the user is signed out.
 */
export type TokenSource =
  | string
  | ((options: { readonly refresh: boolean }) => string | Nothing | Promise<string | Nothing>)

/** Text that identifies a user of a subscriber; `null` if the user is signed out. */
export type TokenUser = string | null

export type Tokens = ReturnType<typeof createTokens>

/** Provides tokens for requests. Concurrent rejections share one refresh, because many refresh tokens are single-use. */
export function createTokens(source: TokenSource) {
  let latest: string | undefined
  let refreshing: Promise<string> | undefined
  let user: TokenUser | undefined
  let [asked, newest] = [0, 0]
  const listeners = new Set<(user: TokenUser) => void>()

  function saw(token: string | Nothing): void {
    latest = token || undefined
    const before = user
    user = token ? userOfToken(token) : null
    if (before === user) return
    // Before the request is sent for which the token was asked, so that the requests of another user can be aborted.
    for (const listener of listeners) listener(user)
  }

  async function ask(refresh: boolean): Promise<string> {
    const turn = ++asked
    const token = typeof source === 'string' ? source : await source({ refresh })
    // A later call may have returned already, maybe for another user.
    if (turn > newest) {
      newest = turn
      saw(token)
    }
    if (!token) throw new HeraldSignedOut()
    return token
  }

  const get = () => refreshing ?? ask(false)
  return {
    /** Whether the source can return a new token. */
    canRenew: typeof source !== 'string',
    get,
    /** The token of the latest request, if there was one. */
    latest: () => latest,
    /** Returns a token other than the rejected one. Another request may have fetched it already. */
    async renew(rejected: string): Promise<string> {
      if (latest !== undefined && latest !== rejected) return latest
      refreshing ??= ask(true).finally(() => {
        refreshing = undefined
      })
      return refreshing
    },
    /** Asks for a token. Resolves to whom it is for. */
    async user(): Promise<TokenUser> {
      try {
        return userOfToken(await get())
      } catch (error) {
        if (error instanceof HeraldSignedOut) return null
        throw error
      }
    },
    /** Calls with the user of the latest token, if there was one, and whenever it is another one. @returns a function that ends it */
    onUser(listener: (user: TokenUser) => void): () => void {
      listeners.add(listener)
      if (user !== undefined) listener(user)
      return () => listeners.delete(listener)
    },
  }
}
