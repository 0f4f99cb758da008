import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whether `node_modules` holds what the lockfile names. npm keeps a copy of the lockfile for what it installed; times
 * of files say less, since a checkout changes them. Optional packages may be missing: most are for other platforms.
 */
export function isInstalled(root) {
  const locked = packagesOf(join(root, 'package-lock.json'))
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'))
  if (!locked || !installed) return false
  return Object.entries(locked).every(([path, { version, integrity, optional }]) => {
    if (path === '' || (optional && !installed[path])) return true
    return installed[path]?.version === version && installed[path]?.integrity === integrity
  })
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}
