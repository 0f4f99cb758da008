import { usually } from '@herald/jest-preset/full-run'
import { at, uuid } from '@herald/mongo/testing'
import type { Erasure } from '@herald/persons'
import { workOff } from '@herald/persons/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { NewNotification } from '../documents/notification-document.ts'
import type { Retraction } from '../documents/tombstone-document.ts'
import { pageIn } from '../new-notification.fixture.ts'
import { createEmptyFeed } from '../test-feed.fixture.ts'
import { mention, retraction } from './fan-outs.fixture.ts'

const runs = Number(process.env.HERALD_MODEL_RUNS ?? usually(6, { inFullRuns: 16 }))

const { store, migrate, close } = createEmptyFeed()
beforeAll(migrate)
afterAll(close)

type Event = { readonly mention: NewNotification } | { readonly retraction: Retraction } | { readonly erasure: Erasure }
/** Events that are delivered together, some chunks at the same time; or a mark by a recipient. */
type Step =
  | { readonly chunks: readonly (readonly number[])[] }
  | { readonly mark: 'markRead' | 'markUnread'; readonly recipient: number; readonly event: number }

const recipients = [uuid(2), uuid(3), uuid(4)]
const persons = [...recipients, uuid(90), uuid(91)]
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
  actorId: fc.constantFrom(...persons),
  subjectId: fc.constantFrom(...persons),
})
const arbitraryErasure = fc.record({ personId: fc.constantFrom(...persons), seconds })
const arbitraryRetraction = fc.record({
  target: fc.oneof(fc.nat({ max: 11 }), location),
  seconds,
  recipientIds: fc.option(someRecipients, { nil: undefined }),
})
const world = fc.record({
  mentions: fc.array(arbitraryMention, { minLength: 12, maxLength: 12 }),
  retractions: fc.array(arbitraryRetraction, { minLength: 4, maxLength: 6 }),
  erasures: fc.array(arbitraryErasure, { maxLength: 3 }),
})
const event = fc.nat({ max: 20 })
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
  Array.from({ length: 21 }, (_, n) => n),
  { minLength: 21 },
)

type World = typeof world extends fc.Arbitrary<infer T> ? T : never

let run = 0

/** The events of a subscriber of its own. */
function eventsOf({ mentions, retractions, erasures }: World): { subscriberId: string; events: Event[] } {
  const subscriberId = uuid(1_000_000 + run++)
  const made = mentions.map(({ location: place, seconds: second, actorId, ...changes }, n) => {
    const { id, createdAt } = mention(second)
    return mention(second, {
      ...place,
      ...changes,
      actor: { id: actorId, name: 'Ada', image: 'ada.png' },
      metadata: '{"mention":{"mentionerName":"Ada","snippet":"Hello"},"add":{},"edit":{}}',
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
      ...erasures.map(({ personId, seconds: second }, n) => ({
        erasure: { subscriberId, eventId: uuid(2_000_000 + run * 100 + 50 + n), time: at(second), personId },
      })),
    ],
  }
}

/** The feeds as lists in memory: what was delivered, not retracted and without erased persons, whatever the order. */
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
  /** Until when a person is erased, in milliseconds. */
  const erasedUntil = (personId: string): number =>
    Math.max(
      -Infinity,
      ...[...delivered].flatMap((n) => {
        const found = events[n]
        return found && 'erasure' in found && found.erasure.personId === personId ? [found.erasure.time.getTime()] : []
      }),
    )
  const isErased = (personId: string, { createdAt }: NewNotification) => createdAt.getTime() <= erasedUntil(personId)
  const masked = (one: NewNotification, recipient: string) => {
    const [author, subject] = [isErased(one.actor.id, one), isErased(one.subjectId, one)]
    return {
      id: one.id,
      readAt: readAt.get(recipient + one.id) ?? null,
      actorId: author ? 'pseudonym' : one.actor.id,
      actorName: author ? '' : one.actor.name,
      snippet: author ? '' : 'Hello',
      subjectId: subject ? 'pseudonym' : one.subjectId,
      updatedAt: Math.max(
        one.createdAt.getTime(),
        author ? erasedUntil(one.actor.id) : 0,
        subject ? erasedUntil(one.subjectId) : 0,
      ),
    }
  }
  const feed = (recipient: string) =>
    [...delivered]
      .flatMap((n) => {
        const found = events[n]
        return found && 'mention' in found ? [found.mention] : []
      })
      .filter(
        (one) => one.recipientIds.includes(recipient) && !isRetracted(one, recipient) && !isErased(recipient, one),
      )
      .map((one) => masked(one, recipient))
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

test(`feeds and counts equal a list in memory after each step, with retractions, erasures and replays in any order, ${runs} times`, async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.array(step, { minLength: 15, maxLength: 15 }), replay, async (given, steps, order) => {
      const { subscriberId, events } = eventsOf(given)
      const model = createModel(events)
      const feedOf = (recipientId: string) => store.notifications.of({ subscriberId, recipientId })

      const deliver = async (chunk: readonly number[]): Promise<void> => {
        const found = chunk.flatMap((n) => events[n] ?? [])
        await store.erasures.accept(found.flatMap((one) => ('erasure' in one ? [one.erasure] : [])))
        await store.retractions.apply(found.flatMap((one) => ('retraction' in one ? [one.retraction] : [])))
        await store.notifications.insertNew(found.flatMap((one) => ('mention' in one ? [one.mention] : [])))
        await workOff(store.erasures)
        for (const n of chunk) if (events[n]) model.deliver(n)
      }
      const expectEqual = async (): Promise<void> => {
        for (const recipient of recipients) {
          const { notifications } = pageIn(await feedOf(recipient).list({ limit: 100, status: 'all' }))
          const expected = model.feed(recipient)
          expect(notifications.map(seen)).toEqual(expected)
          expect((await feedOf(recipient).counts()).unreadCount).toBe(
            expected.filter(({ readAt }) => readAt === null).length,
          )
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

const pseudonym = /^[0-9a-f]{8}-[0-9a-f]{4}-8/
const orPseudonym = (id: unknown) => (pseudonym.test(String(id)) ? 'pseudonym' : id)

/** A notification as the model has it. */
function seen(given: object) {
  const { id, readAt, actorId, actor, subjectId, metadata, updatedAt } = given as Seen
  return {
    id,
    readAt,
    actorId: orPseudonym(actorId),
    actorName: actor.name,
    snippet: metadata.mention.snippet,
    subjectId: orPseudonym(subjectId),
    updatedAt: Date.parse(updatedAt),
  }
}

type Seen = {
  readonly id: string
  readonly readAt: Date | null
  readonly actorId: string
  readonly actor: { readonly name: string }
  readonly subjectId: string
  readonly metadata: { readonly mention: { readonly snippet: string } }
  readonly updatedAt: string
}
