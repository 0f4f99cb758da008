import { chunksIn, handleChunk, lastOffset, type Runner, type RunnerDependencies } from './runner-parts.ts'

/** A mutant: resolves and commits the offset without awaiting the write. */
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
