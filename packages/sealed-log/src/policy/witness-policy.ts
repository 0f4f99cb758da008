import { findCosigners } from '../note/cosignature.ts'
import type { VerifierKey } from '../note/verifier-key.ts'

export type Witness = {
  /** Its name within the policy. */
  readonly name: string
  readonly key: VerifierKey
  /** Its submission prefix, without a slash at the end. */
  readonly url: string | undefined
}

/** A witness, or a group of which at least `threshold` members must have witnessed a checkpoint. */
export type QuorumRule = Witness | { readonly threshold: number; readonly members: readonly QuorumRule[] }

/** The cosignatures that a checkpoint needs (C2SP tlog-policy). */
export type WitnessPolicy = {
  /** Only these logs are meant, if there are any. */
  readonly logs: readonly VerifierKey[]
  readonly witnesses: readonly Witness[]
  readonly quorum: 'none' | QuorumRule
}

export type Witnessed =
  | { readonly ok: true; readonly by: readonly Witness[] }
  | { readonly ok: false; readonly detail: string }

/** Whether a checkpoint has the cosignatures that a policy demands. Who signed it as its log is not looked at. */
export function checkQuorum(note: string, { witnesses, quorum }: WitnessPolicy): Witnessed {
  const found = findCosigners(
    note,
    witnesses.map(({ key }) => key),
  )
  if (!found.ok) return found
  const by = witnesses.filter(({ key }) => found.keys.includes(key))
  if (quorum === 'none' || isMet(quorum, new Set(by))) return { ok: true, by }
  const names = by.length === 0 ? 'no witness of the policy' : by.map(({ name }) => name).join(', ')
  return { ok: false, detail: `it is cosigned by ${names}, which is not the quorum of the policy` }
}

function isMet(rule: QuorumRule, by: ReadonlySet<Witness>): boolean {
  if (!('members' in rule)) return by.has(rule)
  return rule.members.filter((member) => isMet(member, by)).length >= rule.threshold
}
