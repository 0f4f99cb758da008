const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Resolves when the user, or the process that started this one, wants an end: by Ctrl-C, `kill`, a closed terminal, or
 * by being gone. What comes after the first is ignored, since one Ctrl-C reaches us twice.
 */
export function untilToldToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve())
    process.on('disconnect', () => resolve())
    // A terminal that is gone takes no more lines.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  })
}
