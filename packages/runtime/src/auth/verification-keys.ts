import type { KeyObject } from 'node:crypto'
import type { CryptoKey, JWTHeaderParameters } from 'jose'
import type { PublicKey } from './public-key.ts'

/** The outcome of a readiness check. */
export type KeyCheck = { readonly ok: true; readonly detail?: string } | { readonly ok: false; readonly detail: string }

type VerificationKey = CryptoKey | KeyObject

export type VerificationKeys = {
  readonly algorithms: readonly string[]
  /**
   * The keys that fit a token's header; each is tried.
   *
   * @throws TokenRefused, KeysUnavailable
   */
  readonly find: (header: JWTHeaderParameters) => Promise<readonly VerificationKey[]>
  /** Identifies the keys in use: a new object after each fetch, `undefined` if they must be fetched first. */
  readonly currentKeys: () => object | undefined
  /** Whether there are keys to verify with; the detail names where they come from and what was answered. */
  readonly check?: () => Promise<KeyCheck>
}

/** There are no keys to verify with; the token may be valid. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
  readonly retryAfterMs: number | undefined

  constructor(message: string, { retryAfterMs }: { readonly retryAfterMs?: number } = {}) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** No key can verify this token, and the message says why. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
}

/** The single key of the settings. */
export function createConfiguredKey({ key, algorithms }: PublicKey): VerificationKeys {
  return { algorithms, find: async () => [key], currentKeys: () => key }
}
