import type {
  ChangeEntry,
  ChangeEntryProof as ChangeEntryProofResponse,
  CheckpointConsistency as CheckpointConsistencyResponse,
  CheckpointKeys,
  Checkpoint as CheckpointResponse,
  ExportSealedLogQuery,
  GetCheckpointConsistencyQuery,
} from './contract-types.ts'
import type { CallOptions, Http } from './http.ts'
import { queryString } from './query-string.ts'
import { transferLines } from './transfer-lines.ts'

export type ChangeEntryProof = ChangeEntryProofResponse['data']

export type CheckpointConsistency = CheckpointConsistencyResponse['data']

type Leaf = { readonly leafIndex: number; readonly leafHash: string }

/** A line of a sealed export: the checkpoint, which is the first one, or a leaf. Hashes and salts are Base64. */
export type SealedLine =
  | { readonly checkpoint: string }
  | (Leaf & { readonly salt: string; readonly userSalt: string; readonly entry: ChangeEntry })
  | (Leaf & { readonly salt: string; readonly userHash: string; readonly entry: ChangeEntry; readonly gone: 'erased' })
  | (Leaf & { readonly gone: 'expired' })
  | (Leaf & { readonly erasure: { eventId: string; time: string; leafIndexes: [from: number, to: number][] } })

const pathOfProof = (id: string) => `${encodeURIComponent(id)}/proof`

/** The sealed change log: checkpoints, proofs, and the export that `verify.js` reads. */
export function createSealedLog({ http }: { readonly http: Pick<Http, 'json' | 'open'> }) {
  const get = <T>(path: string, { signal }: CallOptions = {}) =>
    http.json<T>({ path: `/change-entries/${path}`, signal })
  return {
    /** The newest signed checkpoint, as text. */
    checkpoint: async (options?: CallOptions) =>
      (await get<CheckpointResponse['data']>('checkpoint', options)).checkpoint,
    /** The keys that verify checkpoints, the present one first. */
    checkpointKeys: async (options?: CallOptions) =>
      (await get<CheckpointKeys['data']>('checkpoint/key', options)).keys,
    /** Proves that the log of size `to`, which has a checkpoint, continues that of size `from`. */
    consistency: (sizes: Readonly<GetCheckpointConsistencyQuery>, options?: CallOptions) =>
      get<CheckpointConsistency>(`checkpoint/consistency${queryString(sizes)}`, options),
    /** Proves that an entry is in the log. Rejects with 409 `not_sealed_yet` until the next checkpoint. */
    proof: (id: string, options?: CallOptions) => get<ChangeEntryProof>(pathOfProof(id), options),
    /** The proof as C2SP tlog-proof, for other programs. Rejects with 404 `leaf_unavailable` if the user of the entry was erased. */
    async proofText(id: string, { signal }: CallOptions = {}): Promise<string> {
      const path = `/change-entries/${pathOfProof(id)}`
      const { response, deadline } = await http.open({ path, headers: { accept: 'text/plain' }, signal })
      return deadline.during(() => response.text()).finally(() => deadline.release())
    },
    /**
     * Streams the sealed log from index `from` to before `to`, by default all of it: first the checkpoint, then each leaf. Throws
     * if the transfer breaks, because the log is then incomplete.
     */
    sealed: (range: Readonly<ExportSealedLogQuery> = {}, options: CallOptions = {}) =>
      transferLines<SealedLine>(http, `/change-entries/sealed${queryString(range)}`, options),
  }
}
