import { type Checkpoint, formatAddCheckpoint, readCosignature, readWitnessedSize } from '@herald/sealed-log'
import type { AskedWitness } from './witness.ts'

export type Submitted =
  | { readonly kind: 'cosigned'; readonly line: string }
  /** It concerns this log. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It concerns the witness. */
  | { readonly kind: 'unavailable'; readonly reason: string }

type Submission = {
  readonly witness: AskedWitness
  readonly checkpoint: Checkpoint & { readonly note: string }
  /** The size up to which the witness should know the log. */
  readonly knownSize: number
  /** The consistency proof from a smaller size. */
  readonly prove: (from: number) => Promise<readonly Uint8Array[]>
  readonly signal: AbortSignal
}

/** Another process may submit at the same time, so a size may change once more. */
const mostSizesFollowed = 2

/** Has a witness cosign a checkpoint (C2SP tlog-witness). A size that it knows instead of the expected one is followed. */
export async function submit({ witness, checkpoint, knownSize, prove, signal }: Submission): Promise<Submitted> {
  const { size, note } = checkpoint
  let oldSize = Math.min(knownSize, size)
  for (let followed = 0; ; followed++) {
    const hashes = oldSize === 0 || oldSize === size ? [] : await prove(oldSize)
    const answer = await witness.send(formatAddCheckpoint({ oldSize, hashes, note }), signal)
    if (answer.kind === 'unavailable') return answer
    const { status, body } = answer
    if (status === 200) {
      const line = readCosignature(body, note, witness.key)
      return line === undefined ? refused('200 without a valid cosignature of its key') : { kind: 'cosigned', line }
    }
    if (status !== 409) return whyNot(status)
    const found = readWitnessedSize(body)
    if (found === undefined) return refused('409 without a size: another root at the size that it knows')
    if (found > size) return refused(`409: it knows the log up to ${found}, which is more than is sealed here`)
    if (found === oldSize || followed === mostSizesFollowed) return refused(`409 with the size ${found} again`)
    oldSize = found
  }
}

const refused = (reason: string): Submitted => ({ kind: 'refused', reason })

// transparency-dev/witness answers 500 for a log that it does not know: that says nothing of the other logs.
function whyNot(status: number): Submitted {
  const known: Readonly<Record<number, string>> = {
    400: 'the request is malformed for it',
    403: 'it does not know the key of the log',
    404: 'it does not know the log',
    422: 'it has cosigned another history of the log',
  }
  const meaning = known[status]
  const reason = meaning === undefined ? `${status}` : `${status}: ${meaning}`
  return status === 429 || status > 500 || status < 400 ? { kind: 'unavailable', reason } : refused(reason)
}
