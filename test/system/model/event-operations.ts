import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { derivedId } from './derived-id.ts'
import { formatSeconds } from './erased-persons.ts'
import type { Event, EventPublisher } from './event-publisher.ts'
import { timeOf } from './feed-model.ts'
import { clientIndex, clientOf, locationOrSubject, locationTypes, type Operation, type World } from './operations.ts'

/** Adds events to the model. @returns what to publish */
type Occurrence = (world: World, now: number) => Event[]

const agoMs = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60_000 }))
const newEvent = (
  topic: Event['topic'],
  type: string,
  { subscriberid, time, data }: { subscriberid: string; time: number; data: Event['data'] },
): Event => ({ topic, type, id: randomUUID(), subscriberid, time: new Date(time).toISOString(), data })

const mention = fc
  .record({ author: clientIndex, about: fc.option(clientIndex), location: fc.integer({ min: 1, max: 2 }), ago: agoMs })
  .chain((given) => fc.record({ given: fc.constant(given), recipients: fc.uniqueArray(clientIndex, { minLength: 1 }) }))
  .map(({ given: { author, about, location, ago }, recipients }): Occurrence => {
    return (world, now) => {
      const { subscriberId, userId } = clientOf(world, author)
      const recipientIds = [...new Set(recipients.map((n) => clientOf(world, n).userId))]
      const content = {
        subjectId: about === null ? locationOrSubject(3) : clientOf(world, about).userId,
        subjectType: 'user',
        locationId: locationOrSubject(location),
        locationType: 'comment',
      }
      const actor = { id: userId, name: 'Ada', image: 'ada.png' }
      const mentioned = { mentionerName: 'Ada', snippet: 'Ada wrote', entityType: 'e' }
      const metadata = { mention: mentioned, add: { b: 1, a: 2 }, edit: {} }
      const data = { ...content, actor, actorType: 'user', metadata, recipientIds }
      const time = now - ago
      const event = newEvent('mention', 'herald.mention.created.v1', { subscriberid: subscriberId, time, data })
      const [id, seconds] = [derivedId(event), formatSeconds(time)]
      world.ids.push(id)
      world.model.create({
        subscriberId,
        recipientIds,
        createdAt: time,
        via: 'kafka',
        content: {
          id,
          subscriberId,
          type: 'mention',
          actorId: userId,
          actorType: 'user',
          ...content,
          metadata,
          createdAt: seconds,
          updatedAt: seconds,
          actor,
          readAt: null,
          emailSentAt: null,
        },
      })
      return [event]
    }
  })

const change = fc.record({ by: clientIndex, ago: agoMs }).map(
  ({ by, ago }): Occurrence =>
    (world, now) => {
      const { subscriberId, userId } = clientOf(world, by)
      const user = { id: userId, name: 'Ada', email: 'ada@mail.example' }
      const entity = {
        entityType: 'portfolio',
        entityId: 'p-1',
        entityTitle: 'Growth',
        actionType: 'update',
        changedField: 'name',
      }
      const states = { beforeState: { by: 'someone' }, afterState: null }
      const data = { user, ...entity, ...states }
      const event = newEvent('change', 'herald.change.recorded.v1', {
        subscriberid: subscriberId,
        time: now - ago,
        data,
      })
      const id = derivedId(event)
      world.log.record(subscriberId, { id, user, ...entity, createdAt: formatSeconds(now - ago), ...states })
      return [event]
    },
)

/**
 * Far from the times of marks, which other processes give: a read receipt is later than each of them or earlier than all.
 * An e-mail receipt has its own time, because one from before its recipient's erasure is dropped.
 */
const farMs = fc.constantFrom(60_000, 60_000, -3_600_000)

const receipt = fc.record({ id: fc.nat(), reader: clientIndex, isRead: fc.boolean(), far: farMs }).map(
  ({ id: n, reader, isRead, far }): Occurrence =>
    (world, now) => {
      const recipient = clientOf(world, reader)
      const id = world.ids[n % (world.ids.length || 1)]
      if (id === undefined || world.model.find(recipient, id) === undefined) return []
      const time = isRead ? now + far : now
      if (isRead) world.model.readElsewhere(recipient, id, time)
      else world.model.emailSent(recipient, id, time, formatSeconds(time))
      const { subscriberId: subscriberid, userId: recipientId } = recipient
      const type = isRead ? 'herald.notification.read.v1' : 'herald.email.sent.v1'
      return [newEvent('receipt', type, { subscriberid, time, data: { notificationId: id, recipientId } })]
    },
)

const retraction = fc
  .record({
    subscriber: clientIndex,
    target: fc.oneof(
      fc.record({ id: fc.nat() }),
      fc.record({ type: fc.constantFrom(...locationTypes), location: fc.integer({ min: 1, max: 2 }) }),
    ),
    from: fc.option(clientIndex),
    ago: agoMs,
  })
  .map(({ subscriber, target, from, ago }): Occurrence => {
    return (world, now) => {
      const { subscriberId } = clientOf(world, subscriber)
      const recipientIds = from === null ? undefined : [clientOf(world, from).userId]
      const common = { subscriberid: subscriberId, time: now - ago }
      const publish = (data: Record<string, unknown>) => [
        newEvent('mention', 'herald.mention.retracted.v1', {
          ...common,
          data: recipientIds ? { ...data, recipientIds } : data,
        }),
      ]
      if ('id' in target) {
        const notificationId = world.ids[target.id % (world.ids.length || 1)]
        if (notificationId === undefined) return []
        world.retractions.add({ subscriberId, notificationId, recipientIds })
        return publish({ notificationId })
      }
      const place = { locationType: target.type, locationId: locationOrSubject(target.location) }
      world.retractions.add({ subscriberId, ...place, until: common.time, recipientIds })
      return publish(place)
    }
  })

/** Up to a time, or up to the very time of a notification. */
export const erasure = fc.record({ person: clientIndex, at: fc.option(fc.nat()), ago: agoMs }).map(
  ({ person, at, ago }): Occurrence =>
    (world, now) => {
      const { subscriberId, userId } = clientOf(world, person)
      const id = at === null ? undefined : world.ids[at % (world.ids.length || 1)]
      const time = id === undefined ? now - ago : timeOf(id)
      world.persons.erase(subscriberId, userId, time)
      return [
        newEvent('privacy', 'herald.person.erased.v1', {
          subscriberid: subscriberId,
          time,
          data: { personId: userId },
        }),
      ]
    },
)

const replay = fc.option(fc.nat()).map(
  (n): Occurrence =>
    ({ published }) =>
      n === null ? [...published] : published.slice(n % (published.length || 1)).slice(0, 1),
)

const occurrence = fc.oneof(
  { weight: 5, arbitrary: mention },
  { weight: 3, arbitrary: change },
  { weight: 3, arbitrary: receipt },
  { weight: 1, arbitrary: retraction },
  { weight: 1, arbitrary: erasure },
  { weight: 2, arbitrary: replay },
)

/** Several events at once, on several topics, so that Herald meets them in any order. */
export const eventsAtOnce = (
  publisher: () => EventPublisher,
  arbitrary: fc.Arbitrary<Occurrence> = occurrence,
): fc.Arbitrary<Operation> =>
  fc.array(arbitrary, { minLength: 3, maxLength: 8, size: 'max' }).map((occurrences) => async (world) => {
    const events: Event[] = []
    for (const occur of occurrences) events.push(...occur(world, await nextMillisecond()))
    if (events.length === 0) return
    await publisher().handle(events)
    world.published.push(...events.filter((event) => !world.published.includes(event)))
  })

/** A time that is later than that of any event so far. */
async function nextMillisecond(): Promise<number> {
  const before = Date.now()
  while (Date.now() === before) await nextTurn()
  return Date.now()
}
