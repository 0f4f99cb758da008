import { chunksIn, commitThrough, handleChunk, type Runner, type RunnerDependencies } from './runner-parts.ts'

/** A mutant: resolves and commits the offset without awaiting the write. */
export function createBatchRunner(dependencies: RunnerDependencies): Runner {
  return {
    async run(batch) {
      for (const chunk of chunksIn(batch)) {
        void handleChunk(dependencies, batch, chunk).catch(() => {})
        await commitThrough(batch, chunk)
        await batch.heartbeat()
      }
    },
    stop() {},
  }
}
