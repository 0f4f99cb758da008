import { chunksIn, handleChunk, type Runner, type RunnerDependencies } from './runner-parts.ts'

/** A mutant: an error is swallowed, and the library resolves and commits by itself, as its defaults are. */
export function createBatchRunner(dependencies: RunnerDependencies): Runner {
  return {
    async eachBatch(payload) {
      for (const chunk of chunksIn(payload)) {
        await handleChunk(dependencies, payload, chunk).catch(() => {})
        await payload.heartbeat()
      }
    },
    stop() {},
  }
}
