import { type SealingState, storedNameOf } from '@herald/change-log'
import {
  type Acceptance,
  type Checkpoint,
  keyNameOf,
  publicKeyOf,
  rawKeyOf,
  type SigningKey,
  signAcceptance,
  signCheckpoint,
  toVerifierKey,
  type VerifierKey,
} from '@herald/sealed-log'
import type { SealSettings } from './config.ts'

/** Signs checkpoints. The present key comes first. */
export type Signer = {
  readonly origin: string
  readonly sign: (subscriberId: string, checkpoint: Checkpoint) => string
  readonly signAcceptance: (acceptance: Acceptance) => string
  /** The keys that verify what this process signs. */
  readonly keysOf: (subscriberId: string) => readonly VerifierKey[]
  /** The origin and the keys that others need to verify. */
  readonly state: SealingState
}

/** `undefined` if nothing is to be sealed. */
export function createSigner(settings: SealSettings): Signer | undefined {
  const { LOG_SIGNING_KEY: key, LOG_SIGNING_KEY_PREVIOUS: previous, LOG_ORIGIN: origin } = settings
  if (key === undefined || origin === undefined) return undefined
  const keys: readonly SigningKey[] = previous === undefined ? [key] : [key, previous]
  const witnesses = settings.LOG_WITNESS_POLICY?.witnesses.map(({ key }) => storedNameOf(key))
  const state = { origin, keys: keys.map(({ publicKey }) => rawKeyOf(publicKey)), witnesses }
  return {
    origin,
    sign: (subscriberId, checkpoint) => signCheckpoint(checkpoint, keyNameOf(origin, subscriberId), keys),
    signAcceptance: (acceptance) => signAcceptance(acceptance, origin, keys),
    keysOf: createVerifierKeys(state),
    state,
  }
}

/** The keys that verify the notes of a log. */
export function createVerifierKeys({ origin, keys }: SealingState): (subscriberId: string) => VerifierKey[] {
  const publicKeys = keys.map(publicKeyOf)
  return (subscriberId) => publicKeys.map((key) => toVerifierKey(keyNameOf(origin, subscriberId), key))
}
