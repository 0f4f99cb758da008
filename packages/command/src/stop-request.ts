const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Resolves on Ctrl-C, `kill`, a closed terminal, or the end of the parent process. Later signals are ignored, since one
 * Ctrl-C arrives twice.
 */
export function stopRequest(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve())
    process.on('disconnect', () => resolve())
    // Writing to a closed terminal fails.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  })
}
