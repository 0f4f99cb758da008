import { expect, test } from '@jest/globals'
import { createHeldMark } from './held-mark.ts'

const part = (id: string) => ({ kind: 'part-of-bulk-mark', mark: 'm', id, action: 'unarchived', at: null }) as const

function holdMark(count: number) {
  const held = createHeldMark(part(''))
  for (let n = 0; n < count; n++) held.add(part(`${n}`), `${n}`)
  return held
}
const eventOf = (held: ReturnType<typeof holdMark>) => held.toEvent(undefined).event

test('names up to 1,000 ids of a mark of which it is unknown what it selects', () => {
  expect([1, 1_000, 1_001].map(holdMark).map(eventOf)).toEqual(['archive-state', 'archive-state', 'reset'])
})

test('never includes what has arrived meanwhile, whatever its time', () => {
  const [before, after] = [holdMark(1_001), holdMark(1_001)]
  before.passedBy('5', 'x')
  after.passedBy('a', 'x')
  expect([before, after].map((held) => held.toEvent({}).event)).toEqual(['reset', 'archive-state'])
  expect(after.position).toBe('x')
})
