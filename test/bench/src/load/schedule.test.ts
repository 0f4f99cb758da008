import { expect, test } from '@jest/globals'
import { now } from '../clock.ts'
import { dueAt, onSchedule } from './schedule.ts'

test('an operation that is sent late keeps its intended time', async () => {
  const schedule = { begin: now() - 1_000, perSecond: 100, first: 7, count: 50 }
  const sent: { sequence: number; intendedAt: number }[] = []
  await onSchedule(schedule, (operations) => sent.push(...operations))
  expect(sent.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 50 }, (_, i) => 7 + i))
  expect(sent.at(-1)?.intendedAt).toBe(schedule.begin + 490)
})

test('no operation is sent before it is due', async () => {
  const schedule = { begin: now() + 50, perSecond: 200, first: 0, count: 10 }
  const early: number[] = []
  await onSchedule(schedule, (operations) => {
    early.push(...operations.flatMap(({ sequence }) => (dueAt(schedule, sequence) > now() ? [sequence] : [])))
  })
  expect(early).toEqual([])
})
