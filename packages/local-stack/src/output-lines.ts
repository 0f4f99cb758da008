import type { Readable } from 'node:stream'

/** As many of a program's lines as are kept; the oldest go first. */
const KEPT = 10_000

/** Collects what a program writes, line by line, and tells who waits when a line matches. */
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
    /** Calls the listener with each line from now on. */
    onLine(listener: (line: string) => void): void {
      watchers.add(listener)
    },
    /** Resolves with the first line from now on that matches. */
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
