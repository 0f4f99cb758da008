import { existsSync, readFileSync, renameSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'

// Preloaded by a process of which one operation is held: the first that matches while the file exists. See held-operation.ts
// of the campaign for its content.
type Run = (...given: unknown[]) => Promise<unknown>

const file = process.env.HERALD_HOLD_FILE ?? ''
const taken = `${file}.taken`
const require = createRequire(import.meta.url)

/** @returns how to hold it; `undefined` if another one is meant, or was taken before */
function take(operation: string): string | undefined {
  if (!existsSync(file)) return undefined
  try {
    const [wanted, how] = readFileSync(file, 'utf8').split('\n')
    if (wanted !== operation) return undefined
    renameSync(file, taken)
    return how
  } catch {
    return undefined
  }
}

async function hold(how: string, run: () => Promise<unknown>): Promise<unknown> {
  if (how === 'wait') {
    while (existsSync(taken)) await pause(20)
    return run()
  }
  // Stops here, and continues without a turn of the event loop, in which the connection could end before the command is sent.
  process.kill(process.pid, 'SIGSTOP')
  return run().finally(() => process.kill(process.pid, 'SIGKILL'))
}

function intercept(target: Record<string, Run>, method: string, nameOf: (given: unknown[]) => string): void {
  const original = target[method] as Run
  target[method] = function held(this: unknown, ...given) {
    const how = take(nameOf(given))
    const run = () => original.apply(this, given)
    return how === undefined ? run() : hold(how, run)
  }
}

intercept(require('mongodb/lib/cmap/connection.js').Connection.prototype, 'command', ([, command]) => {
  const [[name, collection] = []] = Object.entries(command as object)
  return `${name} ${collection}`
})
intercept(require('kafkajs/src/broker').prototype, 'offsetCommit', () => 'commit')
