import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whether `node_modules` matches the lockfile. npm keeps a copy of the lockfile there; file times are unreliable, since a
 * checkout changes them. Optional packages may be missing: most are for other platforms.
 */
export function isInstalled(root) {
  if (read(stampFile(root)) === stamp(root)) return true
  const locked = packagesOf(join(root, 'package-lock.json'))
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'))
  if (!locked || !installed) return false
  return Object.entries(locked).every(([path, { version, integrity, optional }]) => {
    if (path === '' || (optional && !installed[path])) return true
    return installed[path]?.version === version && installed[path]?.integrity === integrity
  })
}

/** Records for which lockfile `npm ci` has run. */
export function markInstalled(root) {
  writeFileSync(stampFile(root), stamp(root))
}

function stamp(root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

function stampFile(root) {
  return join(root, 'node_modules', '.herald-installed')
}

function packagesOf(file) {
  const text = read(file)
  return text === undefined ? undefined : JSON.parse(text).packages
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
