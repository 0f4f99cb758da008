export type SealedLog = {
  /** The signed note. */
  readonly checkpoint: string
  readonly keys: readonly string[]
  /** The answer of `GET /change-entries/sealed`. */
  readonly exported: string
}

const limitMs = 30_000

/** Reads the sealed log over HTTP, as anyone who may read it. */
export function createSealedLogReader(queryUrl: string, token: () => Promise<string>) {
  /** Returns `undefined` if nothing is sealed. */
  async function read(path: string, accept: string): Promise<string | undefined> {
    const headers = { authorization: `Bearer ${await token()}`, accept }
    const response = await fetch(`${queryUrl}/change-entries/${path}`, {
      headers,
      signal: AbortSignal.timeout(limitMs),
    })
    const text = await response.text()
    if (response.ok) return text
    if (response.status === 404) return undefined
    throw new Error(`GET /change-entries/${path} returned ${response.status}: ${text}`)
  }
  const checkpoint = () => read('checkpoint', 'text/plain')

  return {
    isSealed: async () => (await checkpoint()) !== undefined,
    /** Reads what `verify.js` needs. Returns `undefined` if there is no checkpoint. */
    async read(): Promise<SealedLog | undefined> {
      const keys = await read('checkpoint/key', 'application/json')
      // Before the export, which then has all of its leaves.
      const note = await checkpoint()
      const exported = await read('sealed', 'application/x-ndjson')
      if (keys === undefined || note === undefined || exported === undefined) return undefined
      return { checkpoint: note, keys: JSON.parse(keys).data.keys, exported }
    },
  }
}

/** Returns the id of the newest entry that a checkpoint covers. */
export function newestSealedEntry({ checkpoint, exported }: SealedLog): string | undefined {
  const size = Number(checkpoint.split('\n')[1])
  const lines = exported.trim().split('\n').slice(1)
  const ids = lines
    .map((line) => JSON.parse(line) as { leafIndex: number; entry?: { id: string }; gone?: string })
    .flatMap(({ leafIndex, entry, gone }) => (leafIndex < size && entry && !gone ? [entry.id] : []))
  // Ids sort by time.
  return ids.sort().at(-1)
}
