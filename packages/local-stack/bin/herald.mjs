#!/usr/bin/env node
// Runs `start` and `test` from a bare clone: installs what is missing, then goes on with the Node.js that the project
// brings along. It is plain JavaScript, because an older Node.js may be all that there is so far.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isInstalled, markInstalled } from './is-installed.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const [command, ...rest] = process.argv.slice(2)

if (command !== 'start' && command !== 'test') {
  console.error('Usage: herald start | test [arguments of turbo run] [-- arguments of jest]')
  process.exit(2)
}
if (!isInstalled(root)) install()
run()

function install() {
  const began = Date.now()
  console.log('Installing what the lockfile names (npm ci).')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const options = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], shell: process.platform === 'win32' }
  const { status } = spawnSync(npm, ['ci', '--no-progress', '--loglevel=error'], options)
  if (status !== 0) {
    console.error('npm ci failed, so nothing else can run.')
    if (command === 'test') console.log('0 passed, 1 failed, 0 skipped')
    process.exit(1)
  }
  markInstalled(root)
  console.log(`Installed in ${Math.round((Date.now() - began) / 1000)} s.`)
}

function run() {
  const file = join(root, 'packages', 'local-stack', 'src', 'commands', `${command}.ts`)
  const child = spawn(node(), ['--no-warnings', file, ...rest], {
    // The channel tells the child when this process is gone, however it went.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)))
}

function node() {
  const installed = join(root, 'node_modules', '.bin', 'node')
  return existsSync(installed) ? installed : process.execPath
}
