/**
 * Where the bearer token comes from: a text, or a function that is asked before each request. `refresh` says that the last
 * token was refused (401), so that one kept back is not given again.
 */
export type TokenSource = string | ((asked: { readonly refresh: boolean }) => string | Promise<string>)

export type Tokens = {
  readonly canRefresh: boolean
  get(refresh: boolean): Promise<string>
}

/** Requests that are refused at the same time share one refresh, for many a refresh token works just once. */
export function createTokens(source: TokenSource): Tokens {
  if (typeof source === 'string') return { canRefresh: false, get: async () => source }
  let refreshing: Promise<string> | undefined
  return {
    canRefresh: true,
    async get(refresh) {
      if (!refresh) return refreshing ?? source({ refresh })
      refreshing ??= Promise.resolve(source({ refresh })).finally(() => {
        refreshing = undefined
      })
      return refreshing
    },
  }
}
