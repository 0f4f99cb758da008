import { setTimeout as pause } from 'node:timers/promises'
import { chunksIn, commitThrough, handleChunk, type Runner, type RunnerDependencies } from './runner-parts.ts'

/** A mutant: commits the offset first and then retries the write, so that only a crash in between loses records. */
export function createBatchRunner(dependencies: RunnerDependencies): Runner {
  return {
    async run(batch) {
      for (const chunk of chunksIn(batch)) {
        await commitThrough(batch, chunk)
        for (let isStored = false; !isStored; ) {
          isStored = await handleChunk(dependencies, batch, chunk).then(
            () => true,
            () => pause(200, false),
          )
        }
        await batch.heartbeat()
      }
    },
    stop() {},
  }
}
