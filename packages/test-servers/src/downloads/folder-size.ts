import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const POLL_MS = 500

/** Reports the size of a folder that is being filled, such as `57.2 MB`, until stopped. */
export function watchSize(folder: string, onSize: (amount: string) => void) {
  let isOver = false
  let largest = 0
  const timer = setInterval(async () => {
    // Downloaded files are moved away at the end.
    largest = Math.max(largest, await sizeOf(folder))
    if (!isOver) onSize(`${(largest / 1e6).toFixed(1)} MB`)
  }, POLL_MS)
  return {
    stop() {
      isOver = true
      clearInterval(timer)
    },
  }
}

async function sizeOf(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = entries
    .filter((entry) => entry.isFile())
    // A file may have been removed in the meantime.
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    )
  return (await Promise.all(sizes)).reduce((total, size) => total + size, 0)
}
