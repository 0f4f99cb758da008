import type { Checkpoint } from '@herald/sealed-log'

/** Some 250 bytes each. Those that were signed last are kept. */
const mostLogs = 200_000

type Signed = Checkpoint & { readonly accepted: string | undefined }

/**
 * The last checkpoint of each log that this process signed. Nobody can take it back by writing to the database: a log that is
 * smaller or another afterwards was changed or restored.
 */
export function createSignedHere(most = mostLogs) {
  const logs = new Map<string, Signed>()
  return {
    /** @param accepted the acceptance of an operator that held */
    add(subscriberId: string, { size, root }: Checkpoint, accepted: string | undefined): void {
      logs.delete(subscriberId)
      logs.set(subscriberId, { size, root: Uint8Array.from(root), accepted })
      if (logs.size > most) for (const oldest of logs.keys()) return void logs.delete(oldest)
    },
    /** `undefined` also if an operator has accepted a restore since. */
    find(subscriberId: string, accepted: string | undefined): Checkpoint | undefined {
      const signed = logs.get(subscriberId)
      return signed?.accepted === accepted ? signed : undefined
    },
  }
}
