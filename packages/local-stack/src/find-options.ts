/** What every search for a server is given. */
export interface FindOptions {
  /** Where addresses, the PATH and the cache folder are read from. */
  environment: NodeJS.ProcessEnv
  /** Told of each step that may take long. */
  log: (line: string) => void
}

export function withDefaults(options: Partial<FindOptions>): FindOptions {
  return { environment: options.environment ?? process.env, log: options.log ?? (() => {}) }
}
