import type { PartitionBatch } from '@herald/kafka'
import { quietLogger } from '@herald/kafka/testing'
import { createDeadlines } from '@herald/runtime'
import { expect, test } from '@jest/globals'
import { createBatchRunner } from './batch-runner.ts'

test.each([
  [true, []],
  [false, ['resolve 8', 'commit 8', 'chunk']],
])('a chunk of a partition that was lost meanwhile (%s) makes the progress %j', async (becomesLost, expected) => {
  let isLost = false
  const progress: string[] = []
  const runner = createBatchRunner({
    handle: async () => {
      isLost = becomesLost
    },
    kindOf: () => 'mention',
    commits: { handled: async (_, offset) => void progress.push(`commit ${offset}`), flush: async () => {} },
    logger: quietLogger,
    deadlines: createDeadlines(() => new Date()),
    onChunk: () => progress.push('chunk'),
    onHeldBack: () => progress.push('held back'),
    onGivenUp: () => progress.push('given up'),
  })
  const record = { topic: 't', partition: 0, offset: '7', timestamp: '0', key: null, value: null, headers: {} }
  const batch: PartitionBatch = {
    topic: 't',
    partition: 0,
    records: [record],
    endOffset: '8',
    isRunning: () => true,
    isStale: () => isLost,
    resolve: (offset) => progress.push(`resolve ${offset}`),
    heartbeat: async () => {},
    commit: async () => {},
    pause: () => () => {},
  }
  await runner.run(batch)
  expect(progress).toEqual(expected)
})
