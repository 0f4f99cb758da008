/**
 * Where the bearer token comes from: a text, or a function that is asked before each request. `refresh` says that the last
 * token was refused (401), so that one kept back is not given again.
 */
export type TokenSource = string | ((asked: { readonly refresh: boolean }) => string | Promise<string>)

export type Tokens = ReturnType<typeof createTokens>

/** Tokens for requests. Those refused at the same time share one refresh, for many a refresh token works just once. */
export function createTokens(source: TokenSource) {
  let latest: string | undefined
  let refreshing: Promise<string> | undefined

  async function ask(refresh: boolean): Promise<string> {
    latest = typeof source === 'string' ? source : await source({ refresh })
    return latest
  }

  return {
    /** Whether there may be another token than the one that was refused. */
    canRenew: typeof source !== 'string',
    get: () => refreshing ?? ask(false),
    /** Another one than `refused`. That may be there already, because of another request. */
    async renew(refused: string): Promise<string> {
      if (latest !== undefined && latest !== refused) return latest
      refreshing ??= ask(true).finally(() => {
        refreshing = undefined
      })
      return refreshing
    },
  }
}
