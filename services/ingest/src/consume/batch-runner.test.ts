import type { PartitionBatch } from '@herald/kafka'
import { quietLogger } from '@herald/kafka/testing'
import { createDeadlines } from '@herald/runtime'
import { expect, test } from '@jest/globals'
import { NotDueError } from '../events/not-due-error.ts'
import { quickTimes } from '../settings/times.fixture.ts'
import { createBatchRunner } from './batch-runner.ts'

const record = { topic: 't', partition: 0, offset: '7', timestamp: '0', key: null, value: null, headers: {} }
const batchOf = (changes: Partial<PartitionBatch> = {}): PartitionBatch => ({
  topic: 't',
  partition: 0,
  records: [record],
  endOffset: '8',
  isRunning: () => true,
  isStale: () => false,
  resolve: () => {},
  heartbeat: async () => {},
  commit: async () => {},
  pause: () => () => {},
  ...changes,
})

test('a record that is not due yet is handed out again when it is, or after the longest pause', async () => {
  const pauses: number[] = []
  const due = [1_000, 20, 3]
  const runner = createBatchRunner({
    handle: async () => {
      const dueInMs = due.shift()
      if (dueInMs !== undefined) throw new NotDueError(dueInMs)
    },
    kindOf: () => 'privacy',
    commits: { handled: async () => {}, flush: async () => {} },
    logger: {
      ...quietLogger,
      warn: ({ milliseconds }: { milliseconds: number }) => pauses.push(milliseconds),
    } as never,
    deadlines: createDeadlines(() => new Date()),
    limitMs: 60_000,
    heldBack: { minPauseMs: 1, maxPauseMs: 50 },
    onChunk: () => {},
    onHeldBack: () => {},
    onGivenUp: () => {},
  })
  for (let left = 3; left > 0; left--) {
    await new Promise<void>((resume) => void runner.run(batchOf({ pause: () => resume })))
  }
  const handled = new Promise<void>((resolve) => void runner.run(batchOf({ resolve: () => resolve() })))
  await handled
  expect(pauses).toEqual([50, 20, 3])
  runner.stop()
})

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
    ...quickTimes,
    onChunk: () => progress.push('chunk'),
    onHeldBack: () => progress.push('held back'),
    onGivenUp: () => progress.push('given up'),
  })
  const batch = batchOf({ isStale: () => isLost, resolve: (offset) => progress.push(`resolve ${offset}`) })
  await runner.run(batch)
  expect(progress).toEqual(expected)
})

test('sends heartbeats while a chunk is handled, however long that takes', async () => {
  const [beaten, handled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let beats = 0
  const runner = createBatchRunner({
    handle: () => handled.promise,
    kindOf: () => 'mention',
    commits: { handled: async () => {}, flush: async () => {} },
    logger: quietLogger,
    deadlines: createDeadlines(() => new Date()),
    ...quickTimes,
    heartbeatMs: 1,
    onChunk: () => {},
    onHeldBack: () => {},
    onGivenUp: () => {},
  })
  const running = runner.run(batchOf({ heartbeat: async () => void (++beats === 3 && beaten.resolve()) }))
  await beaten.promise
  handled.resolve()
  await running
})
