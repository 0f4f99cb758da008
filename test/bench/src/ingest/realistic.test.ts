import { expect, test } from '@jest/globals'
import { realisticChanges, realisticMentions, zipf } from './realistic.ts'

const count = 20_000

test('the first of 600 ranks gets a seventh, and the last ranks something', () => {
  const draw = zipf(600)
  const ranks = Array.from({ length: count }, (_, i) => draw((i + 0.5) / count))
  expect(ranks.filter((rank) => rank === 0).length / count).toBeCloseTo(1 / 7, 2)
  expect(ranks.at(-1)).toBe(599)
})

test('one in twenty changes repeats, one in a hundred is invalid, and the rest is stored', () => {
  const { event, documents } = realisticChanges(count)
  const values = Array.from({ length: count }, (_, i) => event(i).value)
  const distinct = new Set(values)
  const valid = [...distinct].filter((value) => JSON.parse(value).type !== undefined)
  expect(valid.length).toBe(documents)
  expect(1 - distinct.size / count).toBeCloseTo(0.05, 2)
  expect(1 - valid.length / distinct.size).toBeCloseTo(0.01, 2)
})

test('an entity belongs to one subscriber', () => {
  const { event } = realisticChanges(count)
  const owners = new Map<string, string>()
  for (let i = 0; i < count; i++) {
    const { subscriberid, data } = JSON.parse(event(i).value)
    expect(owners.get(data.entityId) ?? subscriberid).toBe(subscriberid)
    owners.set(data.entityId, subscriberid)
  }
})

test('a document is stored for each recipient of a distinct valid mention', () => {
  const { event, documents } = realisticMentions(count)
  const values = new Set(Array.from({ length: count }, (_, i) => event(i).value))
  const recipients = [...values].flatMap((value) => {
    const { type, data } = JSON.parse(value)
    return type === undefined ? [] : (data.recipientIds as string[])
  })
  expect(recipients.length).toBe(documents)
})
