const LINE_EVERY_MS = 5_000

/**
 * Reports progress: one line per step, with the seconds since the start. `moves` is for what takes long, and says how
 * far it has come: one line that is rewritten on a terminal, and elsewhere a line at most every five seconds. Several
 * may be on their way at once; one that has no amount any more is over.
 */
export function createProgress({ out = process.stdout, now = () => performance.now() } = {}) {
  const began = now()
  let lastLineAt = began
  let isLineOpen = false
  const moving = new Map()
  const stamped = (text) => `${((now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`

  function close() {
    if (isLineOpen) out.write('\r\u001b[2K')
    isLineOpen = false
  }

  function log(line) {
    close()
    lastLineAt = now()
    out.write(`${stamped(line)}\n`)
  }

  function moves(name, amount) {
    if (amount === undefined) moving.delete(name)
    else moving.set(name, amount)
    const text = [...moving].map(([what, much]) => `${what}: ${much}`).join('; ')
    if (text === '') close()
    else if (out.isTTY) {
      close()
      // A line that wraps could not be rewritten.
      out.write(stamped(text).slice(0, (out.columns || 80) - 1))
      isLineOpen = true
    } else if (now() - lastLineAt >= LINE_EVERY_MS) log(text)
  }

  return Object.assign(log, { moves, close })
}
