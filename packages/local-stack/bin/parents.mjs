import { readFileSync } from 'node:fs'

const LOOK_EVERY_MS = 300

/**
 * Calls back once when the npm that started this process is gone, or the shell between the two. npm passes a signal to
 * that shell only, and a shell that dies of it leaves its child behind.
 */
export function onParentGone(callback) {
  // Started by hand it may outlive its shell, as any program may.
  if (!process.env.npm_lifecycle_event) return
  const known = ancestors()
  const looking = setInterval(() => {
    if (ancestors().join() === known.join()) return
    clearInterval(looking)
    callback()
  }, LOOK_EVERY_MS)
  looking.unref()
}

/** The parent and, when that is a shell that npm started, npm: known where there is a /proc. */
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
