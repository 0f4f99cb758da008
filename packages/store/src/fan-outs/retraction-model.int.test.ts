import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { NewNotification } from '../notifications/notification-document.ts'
import { at, createTestStore, pageIn, uuid } from '../store.fixture.ts'
import { mention, retraction } from './fan-outs.fixture.ts'
import type { Retraction } from './tombstones.ts'

const runs = Number(process.env.HERALD_MODEL_RUNS ?? 40)

const { store, drop } = createTestStore('retraction-model')
beforeAll(() => store.migrate())
afterAll(drop)

type Event = { readonly mention: NewNotification } | { readonly retraction: Retraction }
/** Events that are delivered together, some chunks at the same time; or a mark by a recipient. */
type Step =
  | { readonly chunks: readonly (readonly number[])[] }
  | { readonly mark: 'markRead' | 'markUnread'; readonly recipient: number; readonly event: number }

const recipients = [uuid(2), uuid(3), uuid(4)]
const someRecipients = fc.uniqueArray(fc.constantFrom(...recipients), { minLength: 1 })
const location = fc.record({
  locationId: fc.constantFrom(uuid(80), uuid(81)),
  locationType: fc.constantFrom('comment' as const, 'file' as const),
})
const seconds = fc.nat({ max: 60 })

const arbitraryMention = fc.record({
  location,
  seconds,
  recipientIds: someRecipients,
  via: fc.constantFrom(undefined, undefined, 'http' as const),
})
const arbitraryRetraction = fc.record({
  target: fc.oneof(fc.nat({ max: 11 }), location),
  seconds,
  recipientIds: fc.option(someRecipients, { nil: undefined }),
})
const world = fc.record({
  mentions: fc.array(arbitraryMention, { minLength: 12, maxLength: 12 }),
  retractions: fc.array(arbitraryRetraction, { minLength: 4, maxLength: 8 }),
})
const event = fc.nat({ max: 19 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ chunks: fc.array(fc.array(event, { maxLength: 6 }), { maxLength: 3 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      mark: fc.constantFrom('markRead' as const, 'markUnread' as const),
      recipient: fc.nat({ max: 2 }),
      event: fc.nat({ max: 11 }),
    }),
  },
)
/** The order in which everything is delivered once more at the end. */
const replay = fc.shuffledSubarray(
  Array.from({ length: 20 }, (_, n) => n),
  { minLength: 20 },
)

type World = typeof world extends fc.Arbitrary<infer T> ? T : never

let run = 0

/** The events of a subscriber of its own. */
function eventsOf({ mentions, retractions }: World): { subscriberId: string; events: Event[] } {
  const subscriberId = uuid(1_000_000 + run++)
  const made = mentions.map(({ location: place, seconds: second, ...changes }, n) => {
    const { id, createdAt } = mention(second)
    return mention(second, {
      ...place,
      ...changes,
      subscriberId,
      id: id.slice(0, -4) + String(n).padStart(4, '0'),
      createdAt,
    })
  })
  return {
    subscriberId,
    events: [
      ...made.map((one) => ({ mention: one })),
      ...retractions.map(({ target, seconds: second, recipientIds }, n) => ({
        retraction: retraction(
          n,
          typeof target === 'number' ? { notificationId: made[target]?.id as string } : target,
          { seconds: second, recipientIds, subscriberId, eventId: uuid(2_000_000 + run * 100 + n) },
        ),
      })),
    ],
  }
}

/** The feeds as lists in memory: what was delivered and not retracted, whatever the order. */
function createModel(events: readonly Event[]) {
  const delivered = new Set<number>()
  const readAt = new Map<string, Date | null>()
  const isRetracted = ({ id, createdAt, locationId, locationType, via }: NewNotification, recipient: string): boolean =>
    [...delivered].some((n) => {
      const found = events[n]
      if (!found || !('retraction' in found)) return false
      const { target, time, recipientIds } = found.retraction
      if (recipientIds && !recipientIds.includes(recipient)) return false
      if ('notificationId' in target) return target.notificationId === id
      const latest = time.getTime() + (via === 'http' ? 30_000 : 0)
      return target.locationId === locationId && target.locationType === locationType && createdAt.getTime() <= latest
    })
  const feed = (recipient: string) =>
    [...delivered]
      .flatMap((n) => {
        const found = events[n]
        return found && 'mention' in found ? [found.mention] : []
      })
      .filter((one) => one.recipientIds.includes(recipient) && !isRetracted(one, recipient))
      .map(({ id }) => ({ id, readAt: readAt.get(recipient + id) ?? null }))
      .sort((a, b) => (a.id < b.id ? 1 : -1))
  return {
    feed,
    deliver: (n: number) => void delivered.add(n),
    mark(recipient: string, id: string, time: Date | null): boolean {
      const known = feed(recipient).find((one) => one.id === id)
      if (known && (known.readAt === null || time === null)) readAt.set(recipient + id, time)
      return known !== undefined
    },
  }
}

test(`feeds and counts equal a list in memory after each step, in any order and with replays, ${runs} times`, async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.array(step, { minLength: 15, maxLength: 15 }), replay, async (given, steps, order) => {
      const { subscriberId, events } = eventsOf(given)
      const model = createModel(events)
      const feedOf = (recipientId: string) => store.notifications.of({ subscriberId, recipientId })

      const deliver = async (chunk: readonly number[]): Promise<void> => {
        const found = chunk.flatMap((n) => events[n] ?? [])
        await store.retractions.apply(found.flatMap((one) => ('retraction' in one ? [one.retraction] : [])))
        await store.notifications.insertNew(found.flatMap((one) => ('mention' in one ? [one.mention] : [])))
        for (const n of chunk) if (events[n]) model.deliver(n)
      }
      const expectEqual = async (): Promise<void> => {
        for (const recipient of recipients) {
          const { notifications } = pageIn(await feedOf(recipient).list({ limit: 100, status: 'all' }))
          const expected = model.feed(recipient)
          expect(notifications.map(({ id, readAt }) => ({ id, readAt }))).toEqual(expected)
          expect(await feedOf(recipient).unreadCount()).toBe(expected.filter(({ readAt }) => readAt === null).length)
        }
      }

      for (const [n, one] of steps.entries()) {
        if ('chunks' in one) await Promise.all(one.chunks.map(deliver))
        else {
          const [recipient = '', found] = [recipients[one.recipient], events[one.event]]
          const id = found && 'mention' in found ? found.mention.id : ''
          const marked = await feedOf(recipient)[one.mark](id, at(n))
          expect(marked !== null).toBe(model.mark(recipient, id, one.mark === 'markRead' ? at(n) : null))
        }
        await expectEqual()
      }
      await deliver(order)
      await expectEqual()
      for (const n of order.toReversed()) await deliver([n])
      await expectEqual()
    }),
    { numRuns: runs, endOnFailure: true },
  )
}, 300_000)
