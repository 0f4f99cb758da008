import { setTimeout as wait } from 'node:timers/promises'
import type { FeedStep } from '@herald/feed'
import { expect, test } from '@jest/globals'
import { createLiveFeed } from './live-feed.ts'

type Script = (after: string | undefined) => readonly (FeedStep | Error)[]

const change = (position: string): FeedStep => ({
  kind: 'change',
  position,
  owner: 'a',
  read: () => ({ kind: 'read-state', id: position, readAt: null }),
})

/** Each opening yields the steps of the script, and then waits. */
function createTestLiveFeed(script: Script, { opensInMs = 0, openMs = 10_000, checkFailures = 0 } = {}) {
  const starts: (string | undefined)[] = []
  const received: string[] = []
  const late: string[] = []
  let failuresLeft = checkFailures
  const live = createLiveFeed({
    async *watch({ after, signal }) {
      starts.push(after)
      await wait(opensInMs)
      for (const step of script(after)) {
        if (step instanceof Error) throw step
        yield step
      }
      while (!signal.aborted) await wait(1)
    },
    async onLate({ position }) {
      late.push(position)
      if (failuresLeft-- > 0) throw new Error('Away')
    },
    onMoved: () => {},
    onChange(step) {
      received.push(step.position)
      return false
    },
    onLost: () => void received.push('lost'),
    logger: { warn: () => {}, error: () => {} } as never,
    now: () => Date.UTC(2026, 0, 1),
    options: { openMs, minPauseMs: 1, maxPauseMs: 5, lateMs: 1_500 },
    behindMs: () => 0,
  })
  return { live, starts, received, late }
}

test('is open once its position is known, and is opened once for all', async () => {
  const { live, starts, received } = createTestLiveFeed(() => [{ kind: 'position', position: '1' }, change('2')])
  expect(live.position).toBeUndefined()
  await Promise.all([live.open(), live.open()])
  while (received.length === 0) await wait(1)
  expect([live.position, starts, received]).toEqual(['2', [undefined], ['2']])
  await live.close()
  expect(live.position).toBeUndefined()
})

test('resumes after the last step when the stream fails, and keeps its position meanwhile', async () => {
  const { live, starts, received } = createTestLiveFeed((after) =>
    after === undefined
      ? [change('1'), change('2'), new Error('Cut')]
      : after === '2'
        ? [change('3'), new Error('Cut')]
        : [],
  )
  await live.open()
  while (starts.length < 3) await wait(1)
  expect([starts, received, live.position]).toEqual([[undefined, '2', '3'], ['1', '2', '3'], '3'])
  await live.close()
})

test('reports a lost position once there is a new one', async () => {
  const { live, starts, received } = createTestLiveFeed((after) => {
    if (after === '5') return [{ kind: 'lost' }]
    return received.length === 0 ? [change('5'), new Error('Cut')] : [{ kind: 'position', position: '9' }]
  })
  await live.open()
  while (live.position !== '9') await wait(1)
  expect([starts, received]).toEqual([
    [undefined, '5', undefined],
    ['5', 'lost'],
  ])
  await live.close()
})

test('rejects open while the stream fails, and accepts it afterwards', async () => {
  let isAway = true
  const { live } = createTestLiveFeed(() => (isAway ? [new Error('Away')] : [{ kind: 'position', position: '1' }]))
  await expect(live.open()).rejects.toThrow('cannot be opened')
  isAway = false
  await live.open()
  expect(live.position).toBe('1')
  await live.close()
})

test('times out when the stream opens slowly, and is open in the end', async () => {
  const { live } = createTestLiveFeed(() => [{ kind: 'position', position: '1' }], {
    opensInMs: 200,
    openMs: 100,
  })
  await expect(live.open()).rejects.toThrow('is not open')
  while (live.position === undefined) await wait(5)
  await live.open()
  expect(live.position).toBe('1')
  await live.close()
})

/** A position of MongoDB, this many seconds before the test's present. */
const secondsAgo = (seconds: number) => `82${(Date.UTC(2026, 0, 1) / 1_000 - seconds).toString(16)}00000001`

test('reports changes that were stored long before, and after a reopening all of them, before they are passed on', async () => {
  const [long, short, later] = [secondsAgo(3), secondsAgo(1), secondsAgo(0)]
  const { live, received, late } = createTestLiveFeed((after) =>
    after === undefined ? [change(long), change(short), new Error('Cut')] : after === short ? [change(later)] : [],
  )
  await live.open()
  while (received.length < 3) await wait(1)
  expect([late, received]).toEqual([
    [long, later],
    [long, short, later],
  ])
  await live.close()
})

test('a late change that could not be checked comes again', async () => {
  const { live, starts, received, late } = createTestLiveFeed(
    (after) => (after === undefined ? [change('1'), new Error('Cut')] : [change('2')]),
    { checkFailures: 3 },
  )
  await live.open()
  while (received.length < 2) await wait(1)
  expect([starts, received, late]).toEqual([
    [undefined, '1', '1', '1', '1'],
    ['1', '2'],
    ['2', '2', '2', '2'],
  ])
  await live.close()
})
