import { chunksIn, handleChunk, type Runner, type RunnerDependencies } from './runner-parts.ts'

/** A mutant: swallows errors and leaves resolving and committing to kafkajs, as by its defaults. */
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
