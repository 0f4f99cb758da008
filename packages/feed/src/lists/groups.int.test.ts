import type { LocationType } from '@herald/contracts'
import { groupPageSchema, limits } from '@herald/contracts'
import { at, idAt, uuid } from '@herald/mongo/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newNotification } from '../new-notification.fixture.ts'
import { createTestFeed } from '../test-feed.fixture.ts'
import type { GroupQuery } from './groups.ts'

const { store, subscriberId, examined, migrate, close } = createTestFeed({ profiled: true })
beforeAll(migrate)
afterAll(close)

type Given = {
  readonly place: number
  readonly type?: LocationType
  readonly actor?: number
  /** Else a second after the previous one. */
  readonly ms?: number
}

let owners = 100
/** Stores notifications, a second apart, for a new recipient. */
async function stored(given: readonly Given[]) {
  const n = owners++
  const recipientId = uuid(n)
  let seconds = 0
  const add = async (...added: readonly Given[]) => {
    const ids: string[] = []
    const notifications = added.map(({ place, type = 'comment', actor = 1, ms = ++seconds * 1_000 }) => {
      const id = idAt(ms, n)
      ids.push(id)
      const by = { id: uuid(500 + actor), name: `Actor ${actor}`, image: `${actor}.png` }
      return newNotification(id, {
        subscriberId,
        ...{ recipientIds: [recipientId], locationId: uuid(place), locationType: type, actor: by },
        metadata: '{"mention":{"mentionerName":"Ada","snippet":"Look","anchorId":"a"},"add":{},"edit":{}}',
      })
    })
    await store.notifications.insertNew(notifications)
    return ids
  }
  const feed = store.notifications.of({ subscriberId, recipientId })
  const groups = async (query: Partial<GroupQuery> = {}) => {
    const body = JSON.parse(String(await feed.groups({ limit: 20, status: 'all', ...query })))
    expect(groupPageSchema.parse(body)).toStrictEqual(body)
    return body.data as ReturnType<typeof groupPageSchema.parse>['data']
  }
  return { ids: await add(...given), add, feed, groups }
}

const outline = ({ groups }: Awaited<ReturnType<Awaited<ReturnType<typeof stored>>['groups']>>) =>
  groups.map(({ locationType, locationId, latest, count, unreadCount, actors, otherActors }) => ({
    place: `${locationType} ${Number.parseInt(locationId.slice(-4), 16)}`,
    latest: latest.id,
    counts: [count, unreadCount],
    actors: actors.map(({ name, image }) => [name, image].join()),
    otherActors,
  }))

test('groups by location, the newest first, with the newest actors', async () => {
  const { ids, feed, groups } = await stored([
    ...[5, 4, 3, 2, 2, 1].map((actor) => ({ place: 1, actor })),
    { place: 2, type: 'file' as const, actor: 1 },
    { place: 2, actor: 7 },
    { place: 1, actor: 2 },
  ])
  await feed.markRead(ids[1] as string, at(100))
  await feed.archive(ids[7] as string, at(100))
  expect(outline(await groups())).toEqual([
    {
      place: 'comment 1',
      latest: ids[8],
      counts: [7, 6],
      actors: ['Actor 2,2.png', 'Actor 1,1.png', 'Actor 3,3.png'],
      otherActors: 2,
    },
    { place: 'file 2', latest: ids[6], counts: [1, 1], actors: ['Actor 1,1.png'], otherActors: 0 },
  ])
  expect(outline(await groups({ status: 'read' }))).toMatchObject([{ latest: ids[1], counts: [1, 0] }])
  expect(outline(await groups({ status: 'unread' }))).toMatchObject([{ counts: [6, 6] }, { counts: [1, 1] }])
  expect(await groups()).toMatchObject({ nextCursor: null, truncated: false })
  expect((await groups()).groups[0]?.latest).toEqual(JSON.parse(String(await feed.get(ids[8] as string))).data)
})

test('a feed without notifications has no groups', async () => {
  expect(await (await stored([])).groups()).toEqual({ groups: [], nextCursor: null, truncated: false })
})

test('each group comes once, however much arrives between the pages', async () => {
  const { add, groups } = await stored(Array.from({ length: 50 }, (_, n) => ({ place: n % 25 })))
  const seen: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await groups({ limit: 10, cursor })
    seen.push(...page.groups.map(({ locationId }) => locationId))
    for (const { count } of page.groups) expect(count).toBe(2)
    if (page.nextCursor === null) break
    cursor = page.nextCursor
    await add({ place: 3 }, { place: 17 }, { place: 40 })
  }
  expect(seen).toHaveLength(25)
  expect(new Set(seen).size).toBe(25)
})

test('a late event takes no group off the pages, and returns none again', async () => {
  const [a, b, c, d, e] = [5, 4, 3, 2, 1]
  const rest = async (limit: number) => {
    const { add, groups } = await stored([d, c, b, a].map((place) => ({ place })))
    const first = await groups({ limit: 2 })
    // Adds to a group of the next page, to a new one, and to one that was returned: all newer than the first page's last.
    await add({ place: d, ms: 3_900 }, { place: e, ms: 3_800 }, { place: b, ms: 3_700 })
    const returned = first.groups.map(({ locationId, count }) => [locationId, count])
    for (let cursor = first.nextCursor; cursor !== null; ) {
      const page = await groups({ limit, cursor })
      returned.push(...page.groups.map(({ locationId, count }) => [locationId, count]))
      cursor = page.nextCursor
    }
    return returned
  }
  const expected = [
    [uuid(a), 1],
    [uuid(b), 1],
    [uuid(d), 2],
    [uuid(e), 1],
    [uuid(c), 1],
  ]
  for (const limit of [1, 2, 20]) expect([limit, await rest(limit)]).toEqual([limit, expected])
})

test('of 900 groups, each comes once, however many late events move some ahead', async () => {
  const places = Array.from({ length: 900 }, (_, n) => ({ place: n, ms: n * 1_000 }))
  const { add, groups } = await stored(places)
  const returned: string[] = []
  for (let cursor: string | undefined, n = 0; ; n++) {
    const page = await groups({ limit: 50, cursor })
    returned.push(...page.groups.map(({ locationId }) => locationId))
    if (page.nextCursor === null) break
    cursor = page.nextCursor
    expect(cursor.length).toBeLessThanOrEqual(limits.groupCursorCharacters)
    await add(...[3, 450, 860].map((place) => ({ place: place + n, ms: 898_001 + n })))
  }
  expect(returned).toHaveLength(900)
  expect(new Set(returned).size).toBe(900)
})

test('a cursor from before it contained the groups goes on where it ended', async () => {
  const { add, groups } = await stored([5, 4, 3, 2, 1].map((place) => ({ place })))
  const { nextCursor } = await groups({ limit: 2 })
  const second = await groups({ limit: 1, cursor: nextCursor?.slice(0, 43) })
  expect(second.groups.map(({ locationId }) => locationId)).toEqual([uuid(3)])
  await add({ place: 5, ms: 4_500 })
  const third = await groups({ limit: 2, cursor: second.nextCursor ?? undefined })
  expect(third.groups.map(({ locationId }) => locationId)).toEqual([uuid(5), uuid(4)])
  expect(third.nextCursor).toBeNull()
})

test('looks at the newest 1,000, and says whether more match', async () => {
  const { add, groups } = await stored([{ place: 1 }, ...Array.from({ length: 999 }, () => ({ place: 2 }))])
  expect(await groups()).toMatchObject({ truncated: false, groups: [{ count: 999 }, { count: 1 }] })
  await add({ place: 2 })
  expect(await groups()).toMatchObject({ truncated: true, groups: [{ count: 1_000 }] })
})

test('reads one range of one index, and then only what it shows', async () => {
  const { groups } = await stored(Array.from({ length: 1_100 }, (_, n) => ({ place: n % 100, actor: n % 7 })))
  const lines = await examined('notifications', () => groups({ limit: 5 }))
  expect(lines).toHaveLength(3)
  const [window, ...others] = lines.toSorted((one, other) => other.documents - one.documents)
  expect(window).toMatchObject({ documents: 1_001, sorted: false })
  expect(window?.keys).toBeLessThanOrEqual(1_003)
  for (const { documents } of others) expect(documents).toBeLessThanOrEqual(15)
})
