import { at, subscriberId, uuid } from '@herald/mongo/testing'
import { ada, bob, clear, cleo, erasure, findTraces, workOff } from '@herald/persons/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { NewNotification } from '../documents/notification-document.ts'
import { byAda, mention } from '../retractions/fan-outs.fixture.ts'
import { createEmptyFeed, openFeed } from '../test-feed.fixture.ts'

const { database, uri, name, migrate, close } = createEmptyFeed()
const unreadAfterMs = 60_000
const elsewhere = { locationId: uuid(77) }
const writer = openFeed({
  uri,
  database: name,
  applicationName: 'test',
  announcing: { isRecent: () => true, onTooOld: () => {}, now: () => at(0), unreadAfterMs },
})

beforeAll(migrate)
afterAll(async () => {
  await writer.close()
  await close()
})
beforeEach(() => clear(database))

const writeDigests = async (...given: readonly NewNotification[]) => {
  const { created } = await writer.notifications.insertNew(given)
  await created.settle([])
  while ((await writer.digests.writeNext(at(500), unreadAfterMs)) > 0);
}
const publish = async () => {
  const batches = await writer.announcements.next(at(1_000))
  for (const { items, settle } of batches) await settle(items)
  return batches
    .flatMap(({ items }) => items.flatMap((item) => item.announcements))
    .flatMap((one) => (one.kind === 'unread' ? [{ newestId: one.newestId, ...JSON.parse(one.data) }] : []))
}
const traces = { ids: [ada], texts: ['Ada L.'] }

test('digests that wait to be published are masked, and deleted if they are addressed to the person', async () => {
  await writeDigests(byAda(1, { recipientIds: [bob] }), mention(2, { ...elsewhere, recipientIds: [ada] }))
  expect(await findTraces(database, traces)).toContain('digests')
  expect(await writer.erasures.accept([erasure(1, ada, 10)])).toEqual({ refused: [] })
  const steps = await workOff(writer.erasures)
  expect(steps.at(-1)).toMatchObject({ done: true, phase: 'digests', erasedNow: 2 })
  expect(await findTraces(database, traces)).toEqual([])
  const [published, ...others] = await publish()
  expect(others).toEqual([])
  const [stored] = JSON.parse(
    String(await writer.notifications.of({ subscriberId, recipientId: bob }).list({ limit: 100, status: 'all' })),
  ).data.notifications
  expect(published).toMatchObject({ recipientId: bob, total: 1, latest: stored })
  expect(stored).toMatchObject({ actor: { name: '' }, metadata: { mention: { snippet: '' } } })
  expect(await publish()).toEqual([])
})

test('digests that wait to be published are masked when they are published, as soon as the erasure is accepted', async () => {
  await writeDigests(
    ...[byAda(1, { recipientIds: [bob] }), mention(2, { ...elsewhere, recipientIds: [ada] })],
    mention(3, { recipientIds: [cleo], subjectId: ada }),
  )
  expect(await writer.erasures.accept([erasure(1, ada, 10)])).toEqual({ refused: [] })
  const published = await publish()
  expect(published.map(({ recipientId }) => recipientId).toSorted()).toEqual([bob, cleo])
  expect(JSON.stringify(published)).not.toMatch(/Ada L\./)
  expect(JSON.stringify(published)).not.toContain(ada)
  await workOff(writer.erasures)
  expect(await findTraces(database, traces)).toEqual([])
})

test('digests that wait to be published keep what was created after the erasure', async () => {
  const given = [1, 2, 20, 21].map((n) => mention(n, { recipientIds: [ada] }))
  await writeDigests(...given, byAda(22, { recipientIds: [bob] }))
  expect(await writer.erasures.accept([erasure(1, ada, 10)])).toEqual({ refused: [] })
  await workOff(writer.erasures)
  const kept = [given[3]?.id, given[2]?.id]
  expect(await publish()).toMatchObject([
    { recipientId: ada, newestId: kept[0], notificationIds: kept, total: 2, unreadCount: 2 },
    { recipientId: bob, latest: { actor: { name: 'Ada L.' } } },
  ])
})
