const LINE_EVERY_MS = 5_000

/**
 * Prints a line per step, with the seconds since the start. `moves` shows the progress of a long step: on a terminal in
 * one line that is rewritten, elsewhere in a line at most every five seconds. Several steps may be in progress at once; an
 * undefined amount ends one.
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
    const text = [...moving].map(([step, shown]) => `${step}: ${shown}`).join('; ')
    if (text === '') close()
    else if (out.isTTY) {
      close()
      // A wrapped line cannot be rewritten.
      out.write(stamped(text).slice(0, (out.columns || 80) - 1))
      isLineOpen = true
    } else if (now() - lastLineAt >= LINE_EVERY_MS) log(text)
  }

  return Object.assign(log, { moves, close })
}
