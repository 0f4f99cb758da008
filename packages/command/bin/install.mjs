import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { markInstalled } from './is-installed.mjs'

/**
 * Runs `npm ci` and reports the number of requests and of installed packages. Install scripts are skipped, since they only
 * compile optional parts. Errors are printed immediately. Resolves with whether it succeeded.
 */
export function install(root, { progress, signal }) {
  const paths = expectedPaths(root)
  const child = spawn('npm', ['ci', '--ignore-scripts', '--no-progress', '--loglevel=http'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
    killSignal: 'SIGTERM',
  })
  let requests = 0
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('npm http fetch')) requests += 1
    else if (!/^npm (warn|notice|http)/.test(line)) {
      progress.close()
      console.error(line)
    }
  })
  const counting = setInterval(() => {
    const installed = paths.filter((path) => existsSync(join(root, path, 'package.json'))).length
    progress.moves('Installing', `${requests} requests, ${installed} of ${paths.length} packages`)
  }, 500)
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (error.name !== 'AbortError') console.error(`npm could not be started: ${error.message}`)
      resolve(false)
    })
    child.once('close', (code) => resolve(code === 0))
  }).then((ok) => {
    clearInterval(counting)
    progress.moves('Installing', undefined)
    if (ok) markInstalled(root)
    return ok
  })
}

/** The package folders that npm creates on this machine, without packages for other platforms. */
function expectedPaths(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([path, { link, os, cpu }]) => path.includes('node_modules/') && !link && isHere(os, cpu))
    .map(([path]) => path)
}

const isHere = (os, cpu) => isAmong(os, process.platform) && isAmong(cpu, process.arch)
const isAmong = (names, name) => names === undefined || names.includes(name)
