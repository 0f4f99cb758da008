import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const OLDEST = '20.19.0'

/** Returns in one line why the commands cannot run here, or undefined. */
export function refusal({ platform, versions }) {
  if (platform === 'win32') return 'Herald runs on Linux and macOS. On Windows, use WSL: clone and start it there.'
  if (isOlder(versions.node, OLDEST)) {
    return `Herald needs Node.js ${OLDEST.replace('.0', '')} or newer to start, and this is ${versions.node}. .nvmrc names a version that works.`
  }
  return undefined
}

/**
 * Finds a Node.js that can run TypeScript: the one that npm installed, or else the current one.
 * Returns its file, or the reason if there is none.
 */
export function findNode(root, { platform, arch, execPath, features, versions }) {
  const installed = join(root, 'node_modules', '.bin', 'node')
  // npm may install a binary for another C library, which does not run.
  if (existsSync(installed) && spawnSync(installed, ['--version']).status === 0) return { file: installed }
  if (features.typescript) return { file: execPath }
  return {
    problem: `Node.js ${versions.node} cannot run TypeScript, and npm has no newer one for ${platform}-${arch} with this C library. Install Node.js 22.18 or newer; .nvmrc names a version that works.`,
  }
}

function isOlder(version, oldest) {
  const [a, b] = [version, oldest].map((text) => text.split('.').map(Number))
  for (const [index, part] of b.entries()) if (a[index] !== part) return a[index] < part
  return false
}
