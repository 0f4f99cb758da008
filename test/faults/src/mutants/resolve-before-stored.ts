import { chunksIn, handleChunk, lastOffset, type Runner, type RunnerDependencies } from './runner-parts.ts'

/** A mutant: nobody waits for the write before the offset is resolved and committed. */
export function createBatchRunner(dependencies: RunnerDependencies): Runner {
  return {
    async eachBatch(payload) {
      for (const chunk of chunksIn(payload)) {
        void handleChunk(dependencies, payload, chunk).catch(() => {})
        payload.resolveOffset(lastOffset(chunk))
        await payload.commitOffsetsIfNecessary(payload.uncommittedOffsets())
        await payload.heartbeat()
      }
    },
    stop() {},
  }
}
