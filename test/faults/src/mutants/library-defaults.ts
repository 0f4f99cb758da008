import { chunksIn, handleChunk, type Runner, type RunnerDependencies } from './runner-parts.ts'

/** A mutant: swallows errors and leaves resolving and committing to kafkajs, as by its defaults. */
export function createBatchRunner(dependencies: RunnerDependencies): Runner {
  return {
    async run(batch) {
      for (const chunk of chunksIn(batch)) {
        await handleChunk(dependencies, batch, chunk).catch(() => {})
        await batch.heartbeat()
      }
    },
    stop() {},
  }
}
