import type { KeyObject } from 'node:crypto'
import type { JWTVerifyGetKey } from 'jose'
import * as errors from 'jose/errors'
import { createLocalJWKSet } from 'jose/jwks/local'
import { createRemoteJWKSet, customFetch, type JWKSCacheInput, jwksCache } from 'jose/jwks/remote'
import type { Logger } from '../logging/logger.ts'
import type { Clock } from '../time/clock.ts'
import type { PublicKey } from './public-key.ts'

/** Algorithms allowed with the keys of a JSON Web Key Set (RFC 8725, 3.1); no symmetric ones. */
const remoteAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

export type VerificationKeys = {
  readonly algorithms: readonly string[]
  readonly getKey: JWTVerifyGetKey | (() => Promise<KeyObject>)
  /** Identifies the keys in use: a new object after each fetch, `undefined` if they must be fetched first. */
  readonly currentKeys: () => object | undefined
}

/** There are no keys to verify with; the token may be valid. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

export type RemoteKeysOptions = {
  readonly uri: string
  readonly clock: Clock
  /** Milliseconds after a fetch during which an unknown `kid` does not trigger another. */
  readonly cooldownMs?: number
  readonly cacheMaxAgeMs?: number
  readonly timeoutMs?: number
  /** Milliseconds beyond `cacheMaxAgeMs` for which the last keys remain usable if fetching fails. */
  readonly outageMs?: number
  readonly logger?: Pick<Logger, 'warn'> | undefined
}

/** Milliseconds to wait after a failed fetch while there are no usable keys. */
const failurePauseMs = 1_000

/** The cached keys of a JSON Web Key Set (RFC 7517). While fetching fails, the last ones remain in use for `outageMs`. */
export function createRemoteKeys({
  uri,
  clock,
  cooldownMs = 30_000,
  cacheMaxAgeMs = 600_000,
  timeoutMs = 5_000,
  outageMs = 3_600_000,
  logger,
}: RemoteKeysOptions): VerificationKeys {
  let pausedUntil = 0
  const isPaused = () => clock().getTime() < pausedUntil
  const cache: JWKSCacheInput = {}
  const lastKeys = createLastKeys(cache, cacheMaxAgeMs + outageMs)
  const keySet = createRemoteJWKSet(new URL(uri), {
    [jwksCache]: cache,
    cooldownDuration: cooldownMs,
    cacheMaxAge: cacheMaxAgeMs,
    timeoutDuration: timeoutMs,
    // jose has no cooldown after failed fetches: without this pause every request would hit a failing key server.
    [customFetch]: async (url, options) => {
      if (isPaused()) throw new Error('Not fetched: the previous attempt failed moments ago')
      return fetch(url, options)
    },
  })
  return {
    algorithms: remoteAlgorithms,
    // jose sets `uat` by Date.now(), whatever the clock.
    currentKeys: () => (cache.uat !== undefined && Date.now() < cache.uat + cacheMaxAgeMs ? cache.jwks : undefined),
    getKey: async (header, token) => {
      try {
        return await keySet(header, token)
      } catch (error) {
        if (isTokenError(error)) throw error
        const last = lastKeys()
        if (!isPaused()) {
          pausedUntil = clock().getTime() + (last ? cooldownMs : failurePauseMs)
          if (last) logger?.warn({ err: error }, 'Could not fetch signing keys, using the last known ones')
        }
        try {
          if (last) return await last(header, token)
        } catch {
          // The key may be newer than the last known ones.
        }
        throw new KeysUnavailable('Signing keys are unavailable', { cause: error })
      }
    },
  }
}

/** Returns the last fetched keys unless they are older than `maxAgeMs`. */
function createLastKeys(cache: JWKSCacheInput, maxAgeMs: number) {
  let cached: { readonly jwks: unknown; readonly keySet: JWTVerifyGetKey } | undefined
  return function lastKeys(): JWTVerifyGetKey | undefined {
    const { jwks, uat } = cache
    if (jwks === undefined || uat === undefined || uat + maxAgeMs < Date.now()) return undefined
    if (cached?.jwks !== jwks) cached = { jwks, keySet: createLocalJWKSet(jwks) }
    return cached.keySet
  }
}

export function createConfiguredKey({ key, algorithms }: PublicKey): VerificationKeys {
  return { algorithms, getKey: async () => key, currentKeys: () => key }
}

function isTokenError(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  )
}
