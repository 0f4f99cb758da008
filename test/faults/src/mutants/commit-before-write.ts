import { setTimeout as pause } from 'node:timers/promises'
import { chunksIn, handleChunk, lastOffset, type Runner, type RunnerDependencies } from './runner-parts.ts'

/** A mutant: commits the offset first and then retries the write, so that only a crash in between loses records. */
export function createBatchRunner(dependencies: RunnerDependencies): Runner {
  return {
    async eachBatch(payload) {
      for (const chunk of chunksIn(payload)) {
        payload.resolveOffset(lastOffset(chunk))
        await payload.commitOffsetsIfNecessary(payload.uncommittedOffsets())
        for (let isStored = false; !isStored; ) {
          isStored = await handleChunk(dependencies, payload, chunk).then(
            () => true,
            () => pause(200, false),
          )
        }
        await payload.heartbeat()
      }
    },
    stop() {},
  }
}
