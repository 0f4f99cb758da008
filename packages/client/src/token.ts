/**
 * The bearer token, or a function that returns it and is called before each request. `refresh` is true after a token was rejected
 * (401), so that the function does not return a cached one.
 */
export type TokenSource = string | ((options: { readonly refresh: boolean }) => string | Promise<string>)

export type Tokens = ReturnType<typeof createTokens>

/** Provides tokens for requests. Concurrent rejections share one refresh, because many refresh tokens are single-use. */
export function createTokens(source: TokenSource) {
  let latest: string | undefined
  let refreshing: Promise<string> | undefined

  async function ask(refresh: boolean): Promise<string> {
    latest = typeof source === 'string' ? source : await source({ refresh })
    return latest
  }

  return {
    /** Whether the source can return a new token. */
    canRenew: typeof source !== 'string',
    get: () => refreshing ?? ask(false),
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
  }
}
