import { setTimeout } from 'node:timers/promises'
import type { Logger } from '../logging/logger.ts'
import type { Clock } from '../time/clock.ts'
import { fetchKeySet } from './fetch-key-set.ts'
import { type KeySet, remoteAlgorithms } from './key-set.ts'
import { type KeyCheck, KeysUnavailable, TokenRefused, type VerificationKeys } from './verification-keys.ts'

export type RemoteKeysOptions = {
  readonly uri: string
  readonly clock: Clock
  /** Milliseconds from one fetch for an unknown `kid` to the next. */
  readonly cooldownMs?: number
  readonly cacheMaxAgeMs?: number
  readonly timeoutMs?: number
  /** Milliseconds beyond `cacheMaxAgeMs` for which the last keys remain usable if fetching fails. */
  readonly outageMs?: number
  readonly logger?: Pick<Logger, 'warn'> | undefined
}

/** The longest time in milliseconds for which a request waits until its fetch is allowed. */
const longestWaitMs = 2_000
/** Milliseconds to wait after a failed fetch: without usable keys, and with those fetched last. */
const pauseWithoutKeysMs = 1_000
const pauseWithKeysMs = 30_000

/** Waits without keeping the process alive. */
const wait = (ms: number) => setTimeout(ms, undefined, { ref: false })

type Fetched = { readonly set: KeySet; readonly at: number; readonly sequence: number }
type Failure = { readonly error: Error; readonly until: number }

/** The cached keys of a JSON Web Key Set (RFC 7517). While fetching fails, the last ones remain in use for `outageMs`. */
export function createRemoteKeys({
  uri,
  clock,
  cooldownMs = 2_000,
  cacheMaxAgeMs = 600_000,
  timeoutMs = 5_000,
  outageMs = 3_600_000,
  logger,
}: RemoteKeysOptions): VerificationKeys {
  let fetched: Fetched | undefined
  let failure: Failure | undefined
  let fetching: Promise<Fetched> | undefined
  let waiting: Promise<Fetched> | undefined
  let started = { sequence: 0, at: Number.NEGATIVE_INFINITY }
  const now = () => clock().getTime()
  const isYoung = (maxAgeMs: number) => fetched !== undefined && now() < fetched.at + maxAgeMs
  const lastKeys = () => (isYoung(cacheMaxAgeMs + outageMs + 1) ? fetched : undefined)

  function note(error: Error): KeysUnavailable {
    if (failure?.error.message !== error.message || now() >= failure.until + pauseWithKeysMs) {
      const state = lastKeys() ? 'using the last known ones' : 'there are none to verify tokens with'
      logger?.warn({ err: error }, `Could not fetch signing keys, ${state}`)
    }
    failure = { error, until: now() + (lastKeys() ? pauseWithKeysMs : pauseWithoutKeysMs) }
    return new KeysUnavailable(error.message)
  }

  async function fetchOnce(): Promise<Fetched> {
    started = { sequence: started.sequence + 1, at: now() }
    const { sequence } = started
    try {
      fetched = { set: await fetchKeySet(uri, timeoutMs), at: now(), sequence }
      failure = undefined
      return fetched
    } catch (error) {
      throw note(error as Error)
    }
  }

  function fetchNow(): Promise<Fetched> {
    fetching ??= fetchOnce().finally(() => {
      fetching = undefined
    })
    return fetching
  }

  /** The cached keys; fetched first if there are none or they are old. */
  async function current(): Promise<Fetched> {
    if (fetched && isYoung(cacheMaxAgeMs)) return fetched
    const last = lastKeys()
    try {
      if (failure && now() < failure.until) throw new KeysUnavailable(failure.error.message)
      return await fetchNow()
    } catch (error) {
      if (last) return last
      throw error
    }
  }

  /** Keys whose fetch begins after the call, shared by all that wait for one. */
  function fetchAnew(): Promise<Fetched> {
    waiting ??= untilAllowed().then(
      () => {
        waiting = undefined
        return fetchNow()
      },
      (error) => {
        waiting = undefined
        throw error
      },
    )
    return waiting
  }

  async function untilAllowed(): Promise<void> {
    const waitMs = Math.max(started.at + cooldownMs, failure?.until ?? 0) - now()
    if (waitMs > longestWaitMs) {
      const cause = failure?.error.message ?? `${uri} is asked again later`
      throw new KeysUnavailable(cause, { retryAfterMs: waitMs })
    }
    await Promise.all([wait(Math.max(0, waitMs)), Promise.race([fetching?.catch(() => {}), wait(longestWaitMs)])])
    if (fetching) throw new KeysUnavailable('The key set has not answered yet')
  }

  async function find(header: Parameters<VerificationKeys['find']>[0]) {
    const { sequence: arrival } = started
    const cached = await current()
    const keys = await cached.set.find(header)
    if (keys.length > 0) return keys
    const anew = cached.sequence > arrival ? cached : await fetchAnew()
    const newer = await anew.set.find(header)
    if (newer.length > 0) return newer
    throw new TokenRefused('The signing key is unknown')
  }

  async function check(): Promise<KeyCheck> {
    await Promise.race([current().catch(() => {}), wait(1_000)])
    if (failure) return { ok: lastKeys() !== undefined, detail: failure.error.message }
    return fetched ? { ok: true } : { ok: false, detail: `${uri} has not answered yet` }
  }

  return {
    algorithms: remoteAlgorithms,
    currentKeys: () => (isYoung(cacheMaxAgeMs) ? fetched : undefined),
    find,
    check,
  }
}
