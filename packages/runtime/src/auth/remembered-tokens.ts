import { LRUCache } from 'lru-cache'
import type { Identity } from './identity.ts'

/** Tokens that were verified a while ago, so that each need not be verified at every request. */
export type RememberedTokens = {
  /** Who was found to be its bearer; `undefined` when it has to be verified (again). */
  recall(token: string, now: Date): Identity | undefined
  /** @param keys what was in force before the token was verified; nothing is remembered when it is no longer */
  remember(token: string, identity: Identity, keys: object | undefined): void
}

export type RememberedTokensOptions = {
  /** Stands for the keys: with others than those that a token was verified with, or none, it is verified anew. */
  readonly keysInForce: () => object | undefined
  /** Milliseconds after its expiry in which a token is still taken. */
  readonly toleranceMs: number
  readonly max?: number
}

/** Longer ones are verified each time: so many of them would take much memory. */
const longestToken = 2_048

/**
 * Remembers valid tokens alone, so many at most, none past its expiry, and none for longer than the keys that it was
 * verified with are in force: a key that is withdrawn ends what was signed with it as soon as without this.
 */
export function createRememberedTokens(options: RememberedTokensOptions): RememberedTokens {
  const { keysInForce, toleranceMs, max = 10_000 } = options
  const known = new LRUCache<string, { readonly identity: Identity; readonly keys: object }>({ max })

  return {
    recall(token, now) {
      const found = known.get(token)
      if (found === undefined) return undefined
      const isExpired = now.getTime() >= found.identity.expiresAt.getTime() + toleranceMs
      if (!isExpired && found.keys === keysInForce()) return found.identity
      known.delete(token)
      return undefined
    },
    remember(token, identity, keys) {
      if (keys === undefined || keys !== keysInForce() || token.length > longestToken) return
      known.set(token, { identity, keys })
    },
  }
}
