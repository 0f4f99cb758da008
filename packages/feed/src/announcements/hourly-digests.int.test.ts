import { at, createInterceptor, type Intercept, start, subscriberId, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { mention, withoutErasures } from '../retractions/fan-outs.fixture.ts'
import { createEmptyFeed, createWriters } from '../test-feed.fixture.ts'

const { database, collections, migrate, close, store } = createEmptyFeed()
beforeAll(migrate)
afterAll(close)
beforeEach(clear)

async function clear(): Promise<void> {
  for (const name of ['notifications', 'fan-outs', 'digests']) await database.collection(name).deleteMany({})
}

const hourSeconds = 3_600
const unreadAfterMs = 60_000
const victim = uuid(2)
const other = uuid(3)
/** The first full hour, in seconds since the start. */
const hour = hourSeconds - ((start / 1_000) % hourSeconds)
const announcing = { isRecent: () => true, onTooOld: () => {}, now: () => at(0), unreadAfterMs, unreadPerHour: 5 }

function startProcess(intercept?: Intercept) {
  const { wrap, operations } = createInterceptor(intercept)
  return { ...createWriters(wrap(collections, [...withoutErasures, 'digests']), { announcing }), operations }
}
const { insertNew, announcements } = startProcess()

/** Mentions of the victim that are due from a time on, each at a location of its own. */
async function mentionAt(seconds: number, count: number): Promise<string[]> {
  const all = Array.from({ length: count }, (_, n) =>
    mention(seconds - 60 + n, { recipientIds: [victim], locationId: uuid(10_000 + 1_000 * seconds + n) }),
  )
  const { created } = await insertNew(all)
  await created.settle([])
  return all.map(({ id }) => id)
}

const writeAll = async (seconds: number, { digests } = startProcess()) => {
  while ((await digests.writeNext(at(seconds), unreadAfterMs)) > 0);
}

type Published = { hour: number; recipientId: string; locationId: string | null; total: number; ids: string[] }

async function publishAll(): Promise<Published[]> {
  const found: Published[] = []
  for (
    let batches = await announcements.next(at(1e6));
    batches.length > 0;
    batches = await announcements.next(at(1e6))
  ) {
    for (const { items, settle } of batches) {
      for (const one of items.flatMap((item) => item.announcements)) {
        if (one.kind !== 'unread') continue
        const { recipientId, locationId, locationType, total, notificationIds: ids } = JSON.parse(one.data)
        expect(locationType === null).toBe(locationId === null)
        found.push({ hour: Math.floor(one.time.getTime() / 3_600_000), recipientId, locationId, total, ids })
      }
      await settle(items)
    }
  }
  return found
}

const totals = (published: readonly Published[]) =>
  published.map(({ locationId, total }) => [locationId === null, total])
const firstHour = Math.floor((start / 1_000 + hour) / hourSeconds)

test('300 mentions at 300 locations are five announcements: four, and the rest at the end of the hour', async () => {
  await mentionAt(hour, 300)
  await insertNew([mention(hour + 300, { recipientIds: [other] })]).then(({ created }) => created.settle([]))
  await writeAll(hour + 400)
  const before = await publishAll()
  expect(totals(before.filter(({ recipientId }) => recipientId === victim))).toEqual(Array(4).fill([false, 1]))
  expect(before.filter(({ recipientId }) => recipientId === other)).toHaveLength(1)
  await writeAll(hour + hourSeconds - 1)
  expect(await publishAll()).toEqual([])
  await writeAll(hour + hourSeconds)
  const rest = await publishAll()
  expect(totals(rest)).toEqual([[true, 296]])
  expect([...before, ...rest].map((one) => one.hour)).toEqual(Array(6).fill(firstHour))
  await writeAll(hour + 3 * hourSeconds)
  expect(await publishAll()).toEqual([])
  expect((await store.notifications.of({ subscriberId, recipientId: victim }).counts()).unreadCount).toBe(300)
})

test('what is due in an hour that has its rest counts for the present one', async () => {
  await mentionAt(hour, 20)
  await writeAll(hour + 2 * hourSeconds)
  expect(totals(await publishAll())).toEqual([...Array(4).fill([false, 1]), [true, 16]])
  await mentionAt(hour + 100, 3)
  await writeAll(hour + 2 * hourSeconds)
  const late = await publishAll()
  expect(late.map((one) => [one.hour, one.total])).toEqual(Array(3).fill([firstHour + 2, 1]))
})

test('announces each once, and no more in an hour, if the process is killed at any operation or overtaken there', async () => {
  const count = 8
  const prepare = async () => {
    await clear()
    return mentionAt(hour, count)
  }
  await prepare()
  const counted = startProcess()
  await writeAll(hour + hourSeconds, counted)
  for (let operation = 1; operation <= counted.operations(); operation++) {
    for (const isKilled of [true, false]) {
      const ids = await prepare()
      let isOver = false
      const disturbed = startProcess(async (now, when) => {
        if (now < operation || when !== 'before') return
        if (isKilled) throw new Error('Killed')
        if (isOver) return
        isOver = true
        await writeAll(hour + hourSeconds)
      })
      await writeAll(hour + hourSeconds, disturbed).catch((error) => expect(isKilled || error).toBe(true))
      await writeAll(hour + hourSeconds)
      const published = await publishAll()
      expect({ operation, ids: published.flatMap((one) => one.ids).sort() }).toEqual({ operation, ids: ids.toSorted() })
      expect(published.length).toBeLessThanOrEqual(5)
    }
  }
}, 300_000)
