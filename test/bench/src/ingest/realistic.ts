import { randomIntegers } from '../measure.ts'
import { changeOf, type EventRecord, mentionOf, uuidOf } from './events.ts'

/** Events of which some repeat and some are invalid, and the number of documents that Herald stores of them. */
export type RealisticEvents = { readonly event: (sequence: number) => EventRecord; readonly documents: number }

const subscribers = 600
const usersEach = 200
const entitiesEach = 500
const resolution = 2 ** 20
/** Percent of the records. */
const [repeated, invalid] = [5, 1] as const
/** How far back a repeated record is, at most. */
const repeatedWithin = 5_000

/** Draws ranks from 0 on, with a probability of 1 ÷ (rank + 1) relative to that of the first one. */
export function zipf(ranks: number): (random: number) => number {
  const sums: number[] = []
  for (let rank = 0; rank < ranks; rank++) sums.push((sums[rank - 1] ?? 0) + 1 / (rank + 1))
  return (random) => {
    const sought = random * (sums.at(-1) ?? 0)
    let [low, high] = [0, ranks - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) > sought) high = middle
      else low = middle + 1
    }
    return low
  }
}

const subscriberRank = zipf(subscribers)
const userRank = zipf(usersEach)
const entityRank = zipf(entitiesEach)
const recipientCounts = [1, 1, 1, 1, 2, 2, 3, 3, 5, 10] as const

/** The record that is published at this place: another one if it repeats. */
function originalOf(sequence: number): number {
  const below = randomIntegers(sequence)
  if (sequence === 0 || below(100) >= repeated) return sequence
  return originalOf(sequence - 1 - below(Math.min(sequence, repeatedWithin)))
}

const isInvalid = (sequence: number) => randomIntegers(sequence + 0x5eed)(100) < invalid

const drawsOf = (sequence: number) => {
  const below = randomIntegers(sequence ^ 0x2f6b)
  const subscriber = subscriberRank(below(resolution) / resolution)
  return { subscriber, random: () => below(resolution) / resolution }
}

/** Changes: few subscribers have most of them, each has users and entities of its own, and few entities change often. */
export function realisticChanges(count: number): RealisticEvents {
  return withFaults(
    count,
    () => 1,
    (sequence) => {
      const { subscriber, random } = drawsOf(sequence)
      const [user, entity] = [userRank(random()), entityRank(random())]
      return changeOf(sequence, uuidOf(`subscriber ${subscriber}`), `${subscriber}.${user}`, `${subscriber}.${entity}`)
    },
  )
}

/** Mentions of 1 to 10 recipients, a few of which get most of them. */
export function realisticMentions(count: number): RealisticEvents {
  return withFaults(
    count,
    (sequence) => recipientsOf(sequence).recipientIds.length,
    (sequence) => {
      const { subscriberId, recipientIds } = recipientsOf(sequence)
      return mentionOf(sequence, subscriberId, recipientIds)
    },
  )
}

function recipientsOf(sequence: number) {
  const { subscriber, random } = drawsOf(sequence)
  const count = recipientCounts[Math.floor(random() * recipientCounts.length)] ?? 1
  const users = new Set(Array.from({ length: count }, () => userRank(random())))
  const recipientIds = [...users].map((user) => uuidOf(`user ${subscriber}.${user}`))
  return { subscriberId: uuidOf(`subscriber ${subscriber}`), recipientIds }
}

function withFaults(
  count: number,
  documentsOf: (sequence: number) => number,
  event: (sequence: number) => EventRecord,
): RealisticEvents {
  let documents = 0
  for (let sequence = 0; sequence < count; sequence++) {
    if (originalOf(sequence) === sequence && !isInvalid(sequence)) documents += documentsOf(sequence)
  }
  return {
    documents,
    event(place) {
      const sequence = originalOf(place)
      const record = event(sequence)
      return isInvalid(sequence) ? { ...record, value: withoutType(record.value) } : record
    },
  }
}

/** An event without its type is a dead letter. */
const withoutType = (value: string) => JSON.stringify({ ...JSON.parse(value), type: undefined })
