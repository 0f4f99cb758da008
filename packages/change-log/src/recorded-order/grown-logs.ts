/** Tells, within one process, which logs may have grown, so that nobody needs to read all of them to find out. */
export type GrownLogs = ReturnType<typeof createGrownLogs>

export type GrownLogsListener = {
  /** These may have grown. */
  onGrown(subscriberIds: Iterable<string>): void
  /** Any may have grown before this call, and those that grow from now on are reported. */
  onAnyGrown(): void
}

export function createGrownLogs() {
  const listeners = new Set<GrownLogsListener>()
  return {
    report(subscriberIds: Iterable<string>): void {
      for (const listener of listeners) listener.onGrown(subscriberIds)
    },
    reportAny(): void {
      for (const listener of listeners) listener.onAnyGrown()
    },
    listen: (listener: GrownLogsListener): void => void listeners.add(listener),
  }
}
