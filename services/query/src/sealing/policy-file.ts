import { readFileSync } from 'node:fs'
import { readPolicy, type WitnessPolicy } from '@herald/sealed-log'

/** A policy whose witnesses can be asked. */
export type SubmissionPolicy = Omit<WitnessPolicy, 'witnesses'> & {
  readonly witnesses: readonly (WitnessPolicy['witnesses'][number] & { readonly url: string })[]
}

type ReadPolicyFile =
  | { readonly ok: true; readonly policy: SubmissionPolicy }
  | { readonly ok: false; readonly detail: string }

/** Reads the policy of the sealer, who needs the address of each witness. The detail of a failure names the file and the line. */
export function readPolicyFile(file: string): ReadPolicyFile {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { ok: false, detail: `${file}: Could not be read (${code ?? error})` }
  }
  const read = readPolicy(bytes)
  if (!read.ok) return { ok: false, detail: `${file}: ${read.detail}` }
  const { policy } = read
  const silent = policy.witnesses.find(({ url }) => url === undefined)
  if (silent !== undefined) {
    return { ok: false, detail: `${file}: The witness ${silent.name} needs a URL, to which checkpoints are sent` }
  }
  return { ok: true, policy: policy as SubmissionPolicy }
}
