import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { derivedId } from '../support/derived-id.ts'
import { mention, structured } from '../support/events.ts'
import { type TestHerald, useSharedHerald } from '../support/herald.ts'
import type { Page } from '../support/spec-shapes.ts'
import type { User } from '../support/user.ts'

let herald: TestHerald
let user: User
const [subjectId, locationId] = [randomUUID(), randomUUID()]
/** Ids by name: three mentions that differ in one field each, half a second apart. */
const ids = { first: '', second: '', third: '' }

beforeAll(async () => {
  herald = await useSharedHerald()
  user = await herald.newUser()
  const subscriber = { subscriberid: user.subscriberId }
  const first = mention([user.id], { ...subscriber, time: '2026-03-01T12:00:00.250Z' }, { subjectId })
  const second = mention([user.id], { ...subscriber, time: '2026-03-01T12:00:00.750Z' }, { locationId })
  const third = mention([user.id], { ...subscriber, time: '2026-03-01T12:00:01.250Z' }, { locationType: 'file' })
  Object.assign(ids, { first: derivedId(first), second: derivedId(second), third: derivedId(third) })
  await herald.publish(herald.topics.mention, [first, second, third].map(structured))
  await eventually(async () => (await listed('')).length === 3)
})
afterAll(() => herald?.disconnect())

async function listed(query: string): Promise<string[]> {
  const answer = await user.get(`/?${query}`)
  expect(answer.status).toBe(200)
  return (answer.json as { data: Page }).data.notifications.map(({ id }) => id)
}

test.each([
  ['type=mention', ['third', 'second', 'first']],
  [`subjectId=${subjectId}`, ['first']],
  [`subjectId=${subjectId.toUpperCase()}`, ['first']],
  [`locationId=${locationId}`, ['second']],
  ['locationType=file', ['third']],
  ['locationType=comment', ['second', 'first']],
  [`locationType=file&subjectId=${subjectId}`, []],
  ['createdFrom=2026-03-01T12:00:00.750Z', ['third', 'second']],
  ['createdTo=2026-03-01T12:00:00.750Z', ['first']],
  ['createdFrom=2026-03-01T12:00:00Z&createdTo=2026-03-01T12:00:01Z', ['second', 'first']],
  ['createdFrom=2026-03-01T13:00:01%2B01:00', ['third']],
] as const)('the filter %s matches %j', async (query, names) => {
  expect(await listed(query)).toEqual(names.map((name) => ids[name]))
})
