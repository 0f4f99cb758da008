import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const OLDEST = '20.19.0'

/** Why neither command can run here, in one line, or undefined. */
export function refusal({ platform, versions }) {
  if (platform === 'win32') return 'Herald runs on Linux and macOS. On Windows, use WSL: clone and start it there.'
  if (isOlder(versions.node, OLDEST)) {
    return `Herald needs Node.js ${OLDEST.replace('.0', '')} or newer to start, and this is ${versions.node}. .nvmrc names a version that works.`
  }
  return undefined
}

/**
 * The Node.js that runs the TypeScript of this package: the one that npm installed, or else this one if it can.
 * Returns its file, or why there is none.
 */
export function findNode(root, { platform, arch, execPath, features, versions }) {
  const installed = join(root, 'node_modules', '.bin', 'node')
  // A package for another C library is installed all the same, and does not run.
  if (existsSync(installed) && spawnSync(installed, ['--version']).status === 0) return { file: installed }
  if (features.typescript) return { file: execPath }
  return {
    problem: `Node.js ${versions.node} cannot run TypeScript, and npm has no newer one for ${platform}-${arch} with this C library. Install Node.js 22.18 or newer; .nvmrc names a version that works.`,
  }
}

function isOlder(version, oldest) {
  const [a, b] = [version, oldest].map((text) => text.split('.').map(Number))
  for (const [index, wanted] of b.entries()) if (a[index] !== wanted) return a[index] < wanted
  return false
}
