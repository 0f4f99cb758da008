import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MemberEvents, PartitionOffset } from '@herald/kafka'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { type CommitPace, createOffsetCommits, type OffsetCommits } from './offset-commits.ts'

// Tests which commits are sent and when; the tests of the consumer cover their effect at a real broker.
let member: Partial<MemberEvents>
let commits: OffsetCommits
/** The commits sent so far, and a function that settles the last one. */
let asked: string[]
let answer: (error?: Error) => Promise<void>
let givenUp: string[]
const limitMs = 200
const atOnce = { quietMs: 0, latestMs: 0, records: 1 }

const commit = (offsets: readonly PartitionOffset[]) => {
  asked.push(offsets.map(({ topic, partition, offset }) => `${topic}/${partition} to ${offset}`).join(', '))
  return new Promise<void>((resolve, reject) => {
    answer = async (error) => {
      if (error) reject(error)
      else resolve()
      await nextTurn()
      await nextTurn()
    }
  })
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
  asked = []
  givenUp = []
  commits = createCommits({ pace: atOnce })
})
afterEach(() => void jest.useRealTimers())

const createCommits = (options: { pace?: CommitPace }) =>
  createOffsetCommits({
    member: {
      commit,
      listen(events) {
        member = events
      },
    },
    logger: { debug: () => {} },
    onGivenUp: ({ message }) => givenUp.push(message),
    limitMs,
    ...options,
  })

/** Flushes while no commit is answered. */
async function flushUnanswered(): Promise<void> {
  const refused = expect(commits.flush()).rejects.toThrow('No response')
  await nextTurn()
  await jest.advanceTimersByTimeAsync(limitMs)
  await refused
}

const handled = (topic: string, partition: number, offset: string, records = 1) =>
  commits.handled({ topic, partition, commit }, offset, records)

describe('events that come alone', () => {
  beforeEach(() => {
    commits = createCommits({})
  })
  const pass = async (milliseconds: number) => {
    await jest.advanceTimersByTimeAsync(milliseconds)
    await nextTurn()
  }

  test('are committed together once none was handled for 100 ms', async () => {
    await handled('a', 0, '5')
    await pass(99)
    await handled('a', 0, '6')
    await handled('b', 1, '2')
    await pass(99)
    expect(asked).toEqual([])
    await pass(1)
    expect(asked).toEqual(['a/0 to 6, b/1 to 2'])
  })

  test('are committed after a second while more follow, and then wait anew', async () => {
    for (let n = 1; n <= 24; n++) {
      await handled('a', 0, String(n))
      await pass(50)
      if (n === 20) await answer()
    }
    expect(asked).toEqual(['a/0 to 20'])
    await pass(50)
    expect(asked).toEqual(['a/0 to 20', 'a/0 to 24'])
  })

  test('and are handled during a commit wait for the next one', async () => {
    await handled('a', 0, '1')
    await pass(100)
    await handled('a', 0, '2')
    await answer()
    expect(asked).toEqual(['a/0 to 1'])
    await pass(100)
    expect(asked).toEqual(['a/0 to 1', 'a/0 to 2'])
  })

  test('wait no longer once there are many of them, or the member leaves', async () => {
    await handled('a', 0, '400', 400)
    await nextTurn()
    expect(asked).toEqual([])
    await handled('a', 0, '500', 100)
    await nextTurn()
    await answer()
    await handled('a', 0, '501')
    const left = commits.leave()
    await nextTurn()
    await answer()
    await left
    await handled('a', 0, '502')
    await nextTurn()
    expect(asked).toEqual(['a/0 to 500', 'a/0 to 501', 'a/0 to 502'])
  })
})

test('commits in the background and combines partitions that are ready at the same moment', async () => {
  await Promise.all([handled('a', 0, '5'), handled('a', 1, '7'), handled('b', 0, '1')])
  await nextTurn()
  expect(asked).toEqual(['a/0 to 5, a/1 to 7, b/0 to 1'])
})

test('sends one commit at a time and each offset once', async () => {
  await handled('a', 0, '5')
  await nextTurn()
  await handled('a', 0, '6')
  await handled('a', 1, '2')
  await handled('a', 0, '8')
  await nextTurn()
  expect(asked).toEqual(['a/0 to 5'])
  await answer()
  expect(asked).toEqual(['a/0 to 5', 'a/0 to 8, a/1 to 2'])
  await answer()
  await commits.flush()
  expect(asked).toHaveLength(2)
})

test('waits for the commit after a failed one and passes on its error', async () => {
  await handled('a', 0, '5')
  await nextTurn()
  await answer(new Error('not the coordinator'))
  const next = handled('a', 1, '2')
  await nextTurn()
  expect(asked.at(-1)).toBe('a/0 to 5, a/1 to 2')
  await Promise.all([expect(next).rejects.toThrow('rebalancing'), answer(new Error('rebalancing'))])

  const again = handled('a', 1, '3')
  await nextTurn()
  await answer()
  await again
  await handled('a', 1, '4')
  await nextTurn()
  expect(asked.slice(2)).toEqual(['a/0 to 5, a/1 to 3', 'a/1 to 4'])
})

test('retries a failed commit on the next heartbeat', async () => {
  await handled('a', 0, '5')
  await nextTurn()
  await answer(new Error('away'))
  member.heartbeat?.()
  await nextTurn()
  expect(asked).toEqual(['a/0 to 5', 'a/0 to 5'])
  await answer()
  member.heartbeat?.()
  await nextTurn()
  expect(asked).toHaveLength(2)
})

test('discards pending offsets on a rebalance', async () => {
  await handled('a', 0, '5')
  await nextTurn()
  await handled('a', 1, '7')
  member.joined?.({})
  await answer(new Error('rebalancing'))
  await commits.flush()
  member.heartbeat?.()
  await nextTurn()
  expect(asked).toEqual(['a/0 to 5'])
})

test('flush waits until everything is committed', async () => {
  let isFlushed = false
  await handled('a', 0, '5')
  await nextTurn()
  await handled('a', 0, '6')
  const flushed = commits.flush().then(() => {
    isFlushed = true
  })
  await answer()
  expect(isFlushed).toBe(false)
  await answer()
  await flushed
})

test('commits offsets that were read and not passed on', async () => {
  member.skipped?.({ topic: 'a', partition: 0, offset: '4' })
  await jest.advanceTimersByTimeAsync(0)
  await nextTurn()
  expect(asked).toEqual(['a/0 to 4'])
})

test('commits the start of a topic that was created again', async () => {
  member.recreated?.({ topic: 'a', partition: 0, offset: '0' })
  await nextTurn()
  expect(asked).toEqual(['a/0 to 0'])
})

test('repeats a commit that is not answered, and gives up the member if it is not answered again', async () => {
  await handled('a', 0, '5')
  await nextTurn()
  await flushUnanswered()
  expect([asked, givenUp]).toEqual([['a/0 to 5'], []])
  member.heartbeat?.()
  await nextTurn()
  await flushUnanswered()
  expect([asked.length, givenUp]).toEqual([2, [`No response within ${limitMs} ms`]])
})

test('keeps a member whose commits are answered again', async () => {
  for (let round = 0; round < 3; round++) {
    await handled('a', round, '5').catch(() => {})
    await nextTurn()
    await flushUnanswered()
    member.heartbeat?.()
    await nextTurn()
    await answer()
  }
  expect(givenUp).toEqual([])
})

test('gives up a member whose commits keep failing although its heartbeats succeed', async () => {
  await handled('a', 0, '5')
  await nextTurn()
  const beginsAt = performance.now()
  const refuse = () => answer(new Error('This is not the correct coordinator for this group'))
  for (await refuse(); givenUp.length === 0; await refuse()) {
    jest.advanceTimersByTime(10)
    member.heartbeat?.()
    await nextTurn()
  }
  expect(givenUp).toEqual(['This is not the correct coordinator for this group'])
  expect(performance.now() - beginsAt).toBeGreaterThan(1.5 * limitMs)
})

test('keeps a member that joins again meanwhile', async () => {
  await handled('a', 0, '5')
  await nextTurn()
  await answer(new Error('The group is rebalancing'))
  jest.advanceTimersByTime(2 * limitMs + 50)
  member.joined?.({})
  await handled('a', 0, '6')
  await nextTurn()
  await answer(new Error('The group is rebalancing'))
  expect(givenUp).toEqual([])
})
