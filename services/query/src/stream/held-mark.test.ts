import { expect, test } from '@jest/globals'
import { createHeldMark, createListRoom } from './held-mark.ts'

const part = (id: string) => ({ kind: 'part-of-bulk-mark', mark: 'm', id, action: 'unarchived', at: null }) as const

function holdMark(count: number, room = createListRoom()) {
  const held = createHeldMark(part(''), { isKnown: false, room })
  for (let n = 0; n < count; n++) held.add(part(`${n}`), `${n}`)
  return held
}
const eventsOf = (held: ReturnType<typeof holdMark>) => held.toEvents(undefined).map(({ event }) => event.event)

test('names ids as long as all feeds together have room for them', () => {
  const room = createListRoom(4)
  const [first, second] = [holdMark(4_000, room), holdMark(2_000, room)]
  expect([first, second, holdMark(1_000, room), holdMark(1_001, room)].map(eventsOf)).toEqual([
    Array(4).fill('archive-state'),
    Array(2).fill('archive-state'),
    ['archive-state'],
    ['reset'],
  ])
  first.discard()
  first.discard()
  expect(eventsOf(holdMark(4_000, room))).toHaveLength(4)
  expect(eventsOf(holdMark(1_001, room))).toEqual(['reset'])
})

test('what is too large to be named gives its room back', () => {
  const room = createListRoom(3)
  for (let n = 0; n < 10; n++) expect(eventsOf(holdMark(4_001, room))).toEqual(['reset'])
})
