import { announcedEvents, exampleEvents } from '@herald/contracts'
import { expect, test } from '@jest/globals'
import { InvalidEvent } from './invalid-event.ts'
import { readAnnouncement } from './read-announcement.ts'
import { createRepeatedAnnouncements } from './repeated-announcements.ts'

const examples = Object.values(announcedEvents).flatMap((event) => Object.values(exampleEvents(event)))
const messageOf = (event: object) => ({ value: Buffer.from(JSON.stringify(event)) })

test.each(examples.map((example) => [example.type, example] as const))('reads %s', (_, example) => {
  const time = new Date(example.time).toISOString()
  const newer = { ...example, data: { ...example.data, later: 1 }, extension: 'x' }
  expect(readAnnouncement(messageOf(newer))).toEqual({ ...example, time })
})

test('ignores unknown types, and rejects what is not an event of Herald', () => {
  const [created] = examples
  expect(readAnnouncement(messageOf({ ...created, type: 'herald.notification.archived.v1' }))).toBeUndefined()
  expect(() => readAnnouncement(messageOf({ ...created, data: { part: 0 } }))).toThrow(InvalidEvent)
  expect(() => readAnnouncement({ value: 'no JSON' })).toThrow(InvalidEvent)
  expect(() => readAnnouncement({ value: null })).toThrow(InvalidEvent)
})

test('recognizes repeated announcements, up to a limited number', () => {
  const repeated = createRepeatedAnnouncements({ size: 2 })
  const event = (id: string) => ({ source: '/herald', id })
  for (const id of ['a', 'b', 'b', 'c']) repeated.add(event(id))
  expect(['a', 'b', 'c'].map((id) => repeated.has(event(id)))).toEqual([false, true, true])
  expect(repeated.has({ source: '/other', id: 'c' })).toBe(false)
})
