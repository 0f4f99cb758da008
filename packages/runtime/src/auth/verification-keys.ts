import type { KeyObject } from 'node:crypto'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWKSCacheInput,
  type JWTVerifyGetKey,
  jwksCache,
} from 'jose'
import type { Clock } from '../clock.ts'
import type { Logger } from '../logging/logger.ts'
import { readPublicKey } from './public-key.ts'

/** The algorithms that a key of a JSON Web Key Set may be used with (RFC 8725, 3.1): none that is symmetric. */
const remoteAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

export type VerificationKeys = {
  readonly algorithms: readonly string[]
  readonly getKey: JWTVerifyGetKey | (() => Promise<KeyObject>)
  /** An object that stands for the keys while they need not be fetched anew; another one when they were. */
  readonly inForce: () => object | undefined
}

/** That the keys cannot be had now: not the token's fault. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

export type RemoteKeysOptions = {
  readonly uri: string
  readonly clock: Clock
  /** Milliseconds after a fetch in which an unknown `kid` causes no other. */
  readonly cooldownMs?: number
  readonly cacheMaxAgeMs?: number
  readonly timeoutMs?: number
  /** Milliseconds after a failed fetch in which no other is tried, while there are no keys to go on with. */
  readonly failurePauseMs?: number
  /** Milliseconds beyond `cacheMaxAgeMs` in which the last keys are still good, when others cannot be had. */
  readonly outageMs?: number
  /** Told when the last keys have to do. */
  readonly logger?: Pick<Logger, 'warn'> | undefined
}

/**
 * The keys of a JSON Web Key Set (RFC 7517) that is fetched over HTTP, cached, and fetched again when it is old. While that
 * fails the last ones are used on: an outage of the key server is none of ours, unless it is a long one.
 */
export function createRemoteKeys({
  uri,
  clock,
  cooldownMs = 30_000,
  cacheMaxAgeMs = 600_000,
  timeoutMs = 5_000,
  failurePauseMs = 1_000,
  outageMs = 3_600_000,
  logger,
}: RemoteKeysOptions): VerificationKeys {
  let pausedUntil = 0
  const isPaused = () => clock.now().getTime() < pausedUntil
  const cache: JWKSCacheInput = {}
  const lastKeys = createLastKeys(cache, cacheMaxAgeMs + outageMs)
  const keySet = createRemoteJWKSet(new URL(uri), {
    [jwksCache]: cache,
    cooldownDuration: cooldownMs,
    cacheMaxAge: cacheMaxAgeMs,
    timeoutDuration: timeoutMs,
    // jose waits between fetches that succeed alone: without this, each request to us would be one to a server in need.
    [customFetch]: async (url, options) => {
      if (isPaused()) throw new Error('The last attempt failed a moment ago')
      return fetch(url, options)
    },
  })
  return {
    algorithms: remoteAlgorithms,
    inForce: () => (cache.uat !== undefined && Date.now() < cache.uat + cacheMaxAgeMs ? cache.jwks : undefined),
    getKey: async (header, token) => {
      try {
        return await keySet(header, token)
      } catch (error) {
        if (isFaultOfToken(error)) throw error
        const last = lastKeys()
        if (!isPaused()) {
          pausedUntil = clock.now().getTime() + (last ? cooldownMs : failurePauseMs)
          if (last) logger?.warn({ err: error }, 'The keys for tokens cannot be fetched; the last ones are used on')
        }
        try {
          if (last) return await last(header, token)
        } catch {
          // It may be a key that came after the last ones.
        }
        throw new KeysUnavailable('Signing keys are unavailable', { cause: error })
      }
    },
  }
}

/** What was fetched last, as long as it is not older than `maxAgeMs`. */
function createLastKeys(cache: JWKSCacheInput, maxAgeMs: number) {
  let made: { readonly jwks: unknown; readonly keySet: JWTVerifyGetKey } | undefined
  return function lastKeys(): JWTVerifyGetKey | undefined {
    const { jwks, uat } = cache
    if (jwks === undefined || uat === undefined || uat + maxAgeMs < Date.now()) return undefined
    if (made?.jwks !== jwks) made = { jwks, keySet: createLocalJWKSet(jwks) }
    return made.keySet
  }
}

/** @throws Error when the PEM is not a fitting public key; the settings have checked it before */
export function createConfiguredKey(pem: string): VerificationKeys {
  const read = readPublicKey(pem)
  if (!read.ok) throw new Error(`The public key for tokens cannot be used. ${read.detail}`)
  return { algorithms: read.algorithms, getKey: async () => read.key, inForce: () => read.key }
}

function isFaultOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  )
}
