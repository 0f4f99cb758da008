import { cpus, loadavg } from 'node:os'
import type { PartContext } from '../part.ts'
import { until } from '../until.ts'

/** How long a partition may have no commit after the frozen one continues, while it has records to commit. */
const standstillMs = 30_000
/** How long what was acknowledged by then may take, on a machine that has the time for it. */
const committedWithinMs = 30_000
/** Processes that want to run, per core, from which on it only counts that everything is committed in the end. */
const busyLoad = 4

export type CommitTimes = { committedMs: number; standstillMs: number; load: number }

/**
 * Waits until everything that is acknowledged now is committed, and checks how long that took since the time, unless the
 * machine is busy.
 */
export async function untilCommitted(context: PartContext, since: number, name: string): Promise<CommitTimes> {
  const { campaign, log } = context
  const { violations, offsets } = campaign
  let ends: ReadonlyMap<string, number> | undefined
  let stoodMs = 0
  const last = new Map<string, { offset: number; at: number }>()
  const isCommitted = async () => {
    ends ??= await offsets.ends()
    const committed = await offsets.committed()
    const now = Date.now()
    const open = [...ends].filter(([partition, end]) => {
      const offset = committed.get(partition) ?? 0
      const before = last.get(partition)
      stoodMs = Math.max(stoodMs, now - (before?.at ?? since))
      const isDone = offset >= end
      if (isDone || (before && offset > before.offset)) last.set(partition, { offset, at: now })
      else if (!before) last.set(partition, { offset, at: since })
      return !isDone
    })
    return open.length === 0
  }
  await until('everything to be committed', isCommitted, { withinMs: 600_000 })
  const committedMs = Date.now() - since
  const load = Math.round((loadavg()[0] ?? 0) * 10) / 10
  const isBusy = load > busyLoad * cpus().length
  const counts = isBusy ? `the load of ${load} is too high to count the time` : `load ${load}`
  log(`${name}: all committed after ${committedMs} ms, no partition stood still for ${stoodMs} ms, ${counts}`)
  if (isBusy) return { committedMs, standstillMs: stoodMs, load }
  if (stoodMs > standstillMs) violations.add('recovery', `${name}: a partition stood still for ${stoodMs} ms`)
  if (committedMs > committedWithinMs) {
    violations.add('recovery', `${name}: everything was committed only after ${committedMs} ms, at a load of ${load}`)
  }
  return { committedMs, standstillMs: stoodMs, load }
}
