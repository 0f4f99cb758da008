import { randomUUID } from 'node:crypto'
import { uuidOf } from '../oracle/announced-notification.ts'
import { derivedId } from '../oracle/derived-id.ts'
import type { Attack, Attacker, Expected } from './attack.ts'
import { eventOf, longTraceparent, manyIds, mentionOf } from './events.ts'

/** The id that a notification of the attacker gets. */
export function notificationIdOf({ subscriberId, source, timeMs }: Attacker, eventId: string): string {
  const subscriber = Buffer.from(subscriberId.replaceAll('-', ''), 'hex')
  return uuidOf(derivedId(subscriber, source, eventId, timeMs))
}

const longTraces: Attack = {
  name: 'retractions with a trace of 7 MiB',
  async run(attacker) {
    const recipients = manyIds(20)
    await attacker.publish('mention', [eventOf(attacker, 'mention.created', mentionOf(recipients), { id: 'one' })])
    const notificationId = notificationIdOf(attacker, 'one')
    const retractions = recipients
      .slice(1)
      .map((id) =>
        eventOf(
          attacker,
          'mention.retracted',
          { notificationId, recipientIds: [id] },
          { headers: { traceparent: longTraceparent } },
        ),
      )
    await attacker.publish('mention', retractions, { codec: 'gzip' })
    return { notifications: 1 }
  },
}

/** How many retractions of so many recipients one notification or location may have: 1 MiB, 256 bytes beside the ids of each. */
const keptOf = (names: number) => Math.floor((1024 * 1024) / (256 + 16 * names))

const manyNames: Attack = {
  name: 'retractions of one notification from 1,000,000 others',
  async run(attacker) {
    const names = attacker.isShort ? 10_000 : 1_000
    const count = 1_000_000 / names
    const recipients = manyIds(1_000)
    const mention = eventOf(attacker, 'mention.created', mentionOf(recipients), { id: 'one' })
    await attacker.publish('mention', [mention])
    const notificationId = notificationIdOf(attacker, 'one')
    const retractionOf = () => eventOf(attacker, 'mention.retracted', { notificationId, recipientIds: manyIds(names) })
    for (let n = 0; n < count; n++) await attacker.publish('mention', [retractionOf()])
    return { notifications: recipients.length, letters: { refused_by_storage: count - keptOf(names) } }
  },
}

const namesOfOne = 10_000

/** Retracts from many recipients at some locations, and then mentions 1,000 there: one in ten is of a recipient who was named. */
async function mentionWhereRetracted(
  attacker: Attacker,
  locations: number,
  retractionsOfEach: number,
): Promise<Expected> {
  const places = Array.from({ length: locations }, () => ({
    locationId: randomUUID(),
    named: Array.from({ length: retractionsOfEach }, () => manyIds(namesOfOne)),
  }))
  for (const { locationId, named } of places) {
    for (const recipientIds of named) {
      const data = { locationType: 'comment', locationId, recipientIds }
      const timeMs = attacker.timeMs + 30_000
      await attacker.publish('mention', [eventOf(attacker, 'mention.retracted', data, { timeMs })])
    }
  }
  await attacker.committed()
  const kept = Math.min(retractionsOfEach, keptOf(namesOfOne))
  const mentions = Array.from({ length: 1_000 }, (_, n) => {
    const { locationId = '', named = [] } = places[n % locations] ?? {}
    const recipientId = n % 10 === 0 ? named[n % kept]?.[n] : undefined
    return eventOf(attacker, 'mention.created', mentionOf([recipientId ?? randomUUID()], locationId))
  })
  await attacker.publish('mention', mentions, { perBatch: 1_000, codec: 'zstd' })
  const beyond = locations * (retractionsOfEach - kept)
  return { notifications: 900, ...(beyond === 0 ? {} : { letters: { refused_by_storage: beyond } }) }
}

const oneFullLocation: Attack = {
  name: '1,000 mentions at a location that was retracted from 1,000,000',
  run: (attacker) => mentionWhereRetracted(attacker, 1, attacker.isShort ? 40 : 100),
}

const fullLocations: Attack = {
  name: '1,000 mentions at 16 locations that were each retracted from 60,000',
  run: (attacker) => mentionWhereRetracted(attacker, attacker.isShort ? 4 : 16, keptOf(namesOfOne)),
}

const inFarFuture = () => `fffffff0-0000-7${randomUUID().slice(15)}`

const strangeIds: Attack = {
  name: 'retractions of ids without a time, and with one in the far future',
  async run(attacker) {
    const [strange, mentions] = attacker.isShort ? [20, 300] : [100, 2_000]
    const retractionOf = (notificationId: string) =>
      eventOf(attacker, 'mention.retracted', { notificationId, recipientIds: manyIds(1_000) })
    const retractions = Array.from({ length: strange }, (_, n) =>
      retractionOf(n % 2 === 0 ? randomUUID() : inFarFuture()),
    )
    await attacker.publish('mention', retractions, { perBatch: 10 })
    await attacker.committed()
    const before = await attacker.indexUses('tombstones', 'target')
    const events = Array.from({ length: mentions }, () =>
      eventOf(attacker, 'mention.created', mentionOf([randomUUID()])),
    )
    await attacker.publish('mention', events, { perBatch: 10 })
    await attacker.committed()
    const searches = (await attacker.indexUses('tombstones', 'target')) - before
    const wrong = searches === 0 ? [] : [`${searches} searches for tombstones by inserts that none concerns`]
    return { notifications: mentions, wrong, letters: { future_time: strange / 2 } }
  },
}

export const retractionAttacks = [longTraces, manyNames, oneFullLocation, fullLocations, strangeIds]
