import type { GroupPosition } from '@herald/kafka'
import type { OffsetToNote } from '@herald/store'
import { beforeEach, expect, test } from '@jest/globals'
import { createOffsetNotes, findAhead } from './offset-notes.ts'

const topic = 'mention-events'
const position = (committed: bigint, metadata = 'noted'): GroupPosition => {
  return { topic, partition: 0, committed, end: 100n, commit: { offset: committed, metadata } }
}
const offset = (at: string) => ({ topic, partition: 0, offset: at })

let raised: (readonly OffsetToNote[])[]
let positions: readonly GroupPosition[]
let readings: number
let isAway: boolean

beforeEach(() => {
  raised = []
  positions = [position(7n)]
  readings = 0
  isAway = false
})

const create = () =>
  createOffsetNotes({
    group: 'herald-ingest',
    notes: {
      async raise(_, offsets) {
        if (isAway) throw new Error('MongoDB is away')
        raised.push(offsets)
      },
    },
    async readPositions() {
      readings++
      return positions
    },
    logger: { debug: () => {} },
  })

test('each offset is noted before its commit, on top of what the group had committed under a note', async () => {
  const notes = create()
  expect(await notes.before([offset('9')])).toEqual([{ ...offset('9'), metadata: 'noted' }])
  await notes.before([offset('12')])
  expect(raised.flat().map(({ offset, noted }) => [offset, noted])).toEqual([
    [9n, 7n],
    [12n, 9n],
  ])
  expect(readings).toBe(1)
})

test('after a rebalance it starts from what others have committed', async () => {
  const notes = create()
  await notes.before([offset('9')])
  notes.forget()
  positions = [position(20n)]
  await notes.before([offset('21')])
  expect(raised.at(-1)?.[0]?.noted).toBe(20n)
})

test('a commit of another tool is no reason to find a note missing', async () => {
  positions = [position(7n, '')]
  await create().before([offset('9')])
  expect(raised[0]?.[0]?.noted).toBeUndefined()
})

test('without MongoDB it is committed unmarked', async () => {
  isAway = true
  const notes = create()
  expect(await notes.before([offset('9')])).toEqual([offset('9')])
})

test.each([
  ['a note that is behind', 8n, position(9n), 1],
  ['no note', undefined, position(9n), 1],
  ['a note that is level', 9n, position(9n), 0],
  ['a note ahead of a commit that a crash prevented', 12n, position(9n), 0],
  ['a commit that was not marked', 8n, position(9n, ''), 0],
])('%s', (_, noted, committed, ahead) => {
  const offsets = new Map(noted === undefined ? [] : [[`${topic}/0`, noted]])
  expect(findAhead([committed], { notedAt: new Date(), offsets })).toHaveLength(ahead)
})
