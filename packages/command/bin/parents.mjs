import { readFileSync } from 'node:fs'

const POLL_MS = 300

/**
 * Calls back once when the npm that started this process, or the shell in between, has ended. npm passes a signal only to
 * that shell, and a shell that is killed leaves its child running.
 */
export function onParentGone(callback) {
  // Without npm it may outlive its shell, like any program.
  if (!process.env.npm_lifecycle_event) return
  const known = ancestors()
  const timer = setInterval(() => {
    if (ancestors().join() === known.join()) return
    clearInterval(timer)
    callback()
  }, POLL_MS)
  timer.unref()
}

/** The parent and, if that is a shell started by npm, npm. The latter requires /proc. */
function ancestors() {
  const parent = process.ppid
  const { name, parent: grandparent } = statusOf(parent)
  return name === undefined || name.startsWith('npm') ? [parent] : [parent, grandparent]
}

function statusOf(pid) {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S+ (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return { name, parent: Number(parent) }
  } catch {
    return {}
  }
}
