import type { Readable } from 'node:stream'

/** The number of most recent lines that are kept. */
const KEPT = 10_000

/** Collects the output of a program line by line and notifies listeners. */
export function createOutputLines() {
  const lines: string[] = []
  const watchers = new Set<(line: string) => void>()

  function add(line: string) {
    lines.push(line)
    if (lines.length > KEPT) lines.shift()
    for (const watcher of watchers) watcher(line)
  }

  return {
    lines: () => [...lines],
    readFrom(stream: Readable) {
      let rest = ''
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => {
        const parts = (rest + text).split('\n')
        rest = parts.pop() ?? ''
        for (const part of parts) add(part)
      })
      stream.on('end', () => {
        if (rest) add(rest)
      })
    },
    /** Calls the listener with each new line. */
    onLine(listener: (line: string) => void): void {
      watchers.add(listener)
    },
    /** Resolves on the first new line that matches. */
    next(pattern: RegExp, signal: AbortSignal): Promise<void> {
      return new Promise((resolve, reject) => {
        const watcher = (line: string) => {
          if (pattern.test(line)) done(resolve)
        }
        const onAbort = () => done(() => reject(signal.reason))
        function done(settle: () => void) {
          watchers.delete(watcher)
          signal.removeEventListener('abort', onAbort)
          settle()
        }
        watchers.add(watcher)
        signal.addEventListener('abort', onAbort)
      })
    },
  }
}

export type OutputLines = ReturnType<typeof createOutputLines>
