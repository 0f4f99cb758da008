import { existsSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until.ts'
import type { Campaign } from './campaign.ts'

/** A command of MongoDB with its collection, or a commit of offsets. */
export type Operation = `${'insert' | 'update' | 'delete'} ${string}` | 'commit'

/**
 * `wait`: until it is released, which may be never. `stop`: the process stops itself just before the operation; once it is
 * continued, the operation is sent, and the process is killed when that has ended.
 */
type HowToHold = 'wait' | 'stop'

/** Holds one operation of the members that start after {@link holdOperations}. */
export type HeldOperations = {
  /** The next such operation is held. */
  holdNext(operation: Operation, how: HowToHold): Promise<void>
  isHeld(): boolean
  release(): Promise<void>
  /** Members that start from now on do not take part. */
  end(): void
}

const preload = new URL('../preloads/held-operation.ts', import.meta.url).href

export function holdOperations({ name, fleet }: Campaign): HeldOperations {
  const file = join(tmpdir(), `herald-held-${name}`)
  const taken = `${file}.taken`
  fleet.preload(preload)
  fleet.use({ HERALD_HOLD_FILE: file })
  return {
    async holdNext(operation, how) {
      await rm(taken, { force: true })
      await writeFile(file, `${operation}\n${how}`)
    },
    isHeld: () => existsSync(taken),
    async release() {
      await rm(file, { force: true })
      await rm(taken, { force: true })
    },
    end: () => fleet.use({ HERALD_HOLD_FILE: undefined }),
  }
}

/** Waits until a process is stopped. */
export const untilStopped = (pid: number) =>
  until('the process to stop', () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] === 'T', {
    everyMs: 20,
  })
