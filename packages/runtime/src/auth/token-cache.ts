import { LRUCache } from 'lru-cache'
import type { Identity } from './identity.ts'

/** Recently verified tokens, so that not every request has to verify its token again. */
export type TokenCache = {
  /** Returns the identity of the bearer, or `undefined` if the token has to be verified. */
  get(token: string, now: Date): Identity | undefined
  /** @param keys the keys in use before the token was verified; if they are no longer current, nothing is cached */
  set(token: string, identity: Identity, keys: object | undefined): void
}

export type TokenCacheOptions = {
  /** Identifies the keys in use: an entry made under other keys is dropped, `undefined` disables the cache. */
  readonly currentKeys: () => object | undefined
  /** Milliseconds for which a token is accepted after its expiry. */
  readonly toleranceMs: number
  readonly max?: number
}

/** Longer tokens are not cached, which bounds the memory of the cache. */
const maxTokenLength = 2_048

/**
 * Caches valid tokens until they expire or the keys change, at most `max` of them. Revoking a key therefore takes effect
 * as soon as it would without the cache.
 */
export function createTokenCache({ currentKeys, toleranceMs, max = 10_000 }: TokenCacheOptions): TokenCache {
  const entries = new LRUCache<string, { readonly identity: Identity; readonly keys: object }>({ max })

  return {
    get(token, now) {
      const entry = entries.get(token)
      if (entry === undefined) return undefined
      const isExpired = now.getTime() >= entry.identity.expiresAt.getTime() + toleranceMs
      if (!isExpired && entry.keys === currentKeys()) return entry.identity
      entries.delete(token)
      return undefined
    },
    set(token, identity, keys) {
      if (keys === undefined || keys !== currentKeys() || token.length > maxTokenLength) return
      entries.set(token, { identity, keys })
    },
  }
}
