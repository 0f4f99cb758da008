import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const LOOK_EVERY_MS = 500

/** Looks at a folder that is being filled, and says how large it is: `57.2 MB`. */
export function watchSize(folder: string, onSize: (amount: string) => void) {
  let isOver = false
  let largest = 0
  const looking = setInterval(async () => {
    // What was downloaded is moved away at the end.
    largest = Math.max(largest, await sizeOf(folder))
    if (!isOver) onSize(`${(largest / 1e6).toFixed(1)} MB`)
  }, LOOK_EVERY_MS)
  return {
    stop() {
      isOver = true
      clearInterval(looking)
    },
  }
}

async function sizeOf(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = entries
    .filter((entry) => entry.isFile())
    // A file may be gone again.
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    )
  return (await Promise.all(sizes)).reduce((total, size) => total + size, 0)
}
