import type { StartedService } from '@herald/local-herald'
import { eventually } from '@herald/test-servers'

const notice = 'The clock was moved five minutes ahead'

/** Preloaded by services: at each SIGUSR2 their clock goes five minutes ahead. */
const preload = `
import { writeSync } from 'node:fs'
const RealDate = Date
let ahead = 0
const now = () => RealDate.now() + ahead
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
})
process.on('SIGUSR2', () => {
  ahead += 300000
  writeSync(1, '${notice}\\n')
})`

/** Settings of services whose clock can be moved, so that no test waits for a time of minutes. */
export const movableClock = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` }

/** Moves the clock of a service that has `movableClock` five minutes ahead. */
export async function moveClock(service: StartedService): Promise<void> {
  const moves = () => service.logs().filter((line) => line === notice).length
  const before = moves()
  service.kill('SIGUSR2')
  await eventually(() => moves() > before, { every: 5, description: 'the clock is moved' })
}
