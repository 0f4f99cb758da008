import { LRUCache } from 'lru-cache'
import type { Identity } from './identity.ts'

export type TokenCacheOptions = {
  /** Identifies the keys in use: an entry made under other keys is dropped, `undefined` disables the cache. */
  readonly currentKeys: () => object | undefined
  /** Milliseconds for which a token is accepted after its expiry. */
  readonly toleranceMs: number
  readonly max?: number
}

/** Longer tokens are not cached, which bounds the memory of the cache. */
const maxTokenLength = 2_048

/** Caches valid tokens until they expire or the keys change, so that revoking a key takes effect as without the cache. */
export function createTokenCache({ currentKeys, toleranceMs, max = 10_000 }: TokenCacheOptions) {
  const entries = new LRUCache<string, { readonly identity: Identity; readonly keys: object }>({ max })

  return {
    /** Returns the identity of the bearer, or `undefined` if the token has to be verified. */
    get(token: string, now: Date): Identity | undefined {
      const entry = entries.get(token)
      if (entry === undefined) return undefined
      const isExpired = now.getTime() >= entry.identity.expiresAt.getTime() + toleranceMs
      if (!isExpired && entry.keys === currentKeys()) return entry.identity
      entries.delete(token)
      return undefined
    },
    /** @param keys the keys in use before the token was verified; if they are no longer current, nothing is cached */
    set(token: string, identity: Identity, keys: object | undefined): void {
      if (keys === undefined || keys !== currentKeys() || token.length > maxTokenLength) return
      entries.set(token, { identity, keys })
    },
  }
}
