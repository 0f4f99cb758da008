/** Options of every search for a server. */
export type FindOptions = {
  /** Contains addresses, the PATH and the cache folder. */
  environment: NodeJS.ProcessEnv
  /** Called with each step that may take long. */
  log: (line: string) => void
  /** Called with the amount fetched so far, such as `41 files, 57.2 MB`, and with undefined at the end. */
  onProgress?: (name: string, amount: string | undefined) => void
}

const nothing = () => {}

export function withDefaults(options: Partial<FindOptions>): Required<FindOptions> {
  const { environment = process.env, log = nothing, onProgress = nothing } = options
  return { environment, log, onProgress }
}
