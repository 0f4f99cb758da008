#!/usr/bin/env node
// Runs `start` and `test` from a bare clone: installs the packages and continues with the Node.js among them. It is plain
// JavaScript without dependencies, because only an older Node.js may be installed so far.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from './install.mjs'
import { isInstalled } from './is-installed.mjs'
import { findNode, refusal } from './node-versions.mjs'
import { onParentGone } from './parents.mjs'
import { createProgress } from './progress.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const [command, ...rest] = process.argv.slice(2)

if (command !== 'start' && command !== 'test') {
  console.error('Usage: herald start | test [arguments of turbo run] [-- arguments of jest]')
  process.exit(2)
}
const refused = refusal(process)
if (refused) fail(refused)

const ending = new AbortController()
let stop = (signal) => {
  ending.abort()
  process.exitCode = 128 + constants.signals[signal]
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal))
onParentGone(() => stop('SIGTERM'))

if (!isInstalled(root)) {
  const progress = createProgress()
  progress('Installing the packages of the lockfile (npm ci).')
  const ok = await install(root, { progress, signal: ending.signal })
  if (!ok && !ending.signal.aborted) fail('npm ci failed, so nothing else can run.')
  if (ok) progress('Installed.')
}
if (!ending.signal.aborted) run()

function run() {
  const { file: node, problem } = findNode(root, process)
  if (problem) fail(problem)
  const file = join(root, 'packages', 'command', 'src', `${command}.ts`)
  const child = spawn(node, ['--no-warnings', file, ...rest], {
    // The channel disconnects when this process ends for any reason, which stops the child.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { NODE_USE_SYSTEM_CA: '1', ...process.env },
  })
  stop = (signal) => child.kill(signal)
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)))
}

function fail(message) {
  console.error(message)
  if (command === 'test') console.log('0 passed, 1 failed, 0 skipped')
  process.exit(1)
}
