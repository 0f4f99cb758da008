import type { VerifierKey } from '@herald/sealed-log'

/** The answer of a witness to `add-checkpoint` (C2SP tlog-witness), or why there is none. */
export type WitnessAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'unavailable'; readonly reason: string }

/** A witness that can be asked. */
export type AskedWitness = {
  /** Its name in the policy. */
  readonly name: string
  readonly key: VerifierKey
  /** Never throws, and ends within a bounded time or when it is aborted. */
  send(body: string, signal: AbortSignal): Promise<WitnessAnswer>
}

/** The name under which a witness is stored: that of its key, with the id. */
export const storedNameOf = ({ name, id }: VerifierKey) => `${name}+${id.toString('hex')}`
