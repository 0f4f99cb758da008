/** What every search for a server is given. */
export interface FindOptions {
  /** Where addresses, the PATH and the cache folder are read from. */
  environment: NodeJS.ProcessEnv
  /** Told of each step that may take long. */
  log: (line: string) => void
  /** Told how much of something that takes long has been fetched, such as `41 files, 57.2 MB`; undefined at its end. */
  onProgress?: (name: string, amount: string | undefined) => void
}

const nothing = () => {}

export function withDefaults(options: Partial<FindOptions>): Required<FindOptions> {
  const { environment = process.env, log = nothing, onProgress = nothing } = options
  return { environment, log, onProgress }
}
