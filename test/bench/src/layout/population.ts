import { type Address, bytesOf, contentOf, idOf, type Notification } from './documents.ts'

const subscribers = 10
const recipientsPerSubscriber = 1_000
const firstDeepSequence = 1_000_000
const firstLateSequence = 2_000_000

/** Recipients 0 to 9,999, a thousand per subscriber. */
export const recipientCount = subscribers * recipientsPerSubscriber
/** Recipients 0 to 49 get {@link deepCount} notifications in addition to the 20 of every recipient. */
export const deepRecipientCount = 50
export const deepCount = 980

export type Population = ReturnType<typeof createPopulation>

/**
 * Assigns notifications to recipients, equally on every run.
 *
 * @param fanOut recipients of one event; a divisor of 1,000
 */
export function createPopulation(fanOut: number) {
  const deepFanOut = Math.min(fanOut, deepRecipientCount)
  const deepGroups = deepRecipientCount / deepFanOut
  return {
    /** 200,000 notifications in time order, 20 for each recipient. */
    even: () => evenFeeds(fanOut, 200_000, 0),
    /** As {@link even}, but later, and 2 for each recipient. */
    late: () => evenFeeds(fanOut, 20_000, firstLateSequence),
    deep: () =>
      Array.from({ length: deepCount * deepGroups }, (_, event) => {
        const first = (event % deepGroups) * deepFanOut
        return fanOutTo(
          Array.from({ length: deepFanOut }, (_, i) => first + i),
          firstDeepSequence + event,
        )
      }).flat(),
    /** The address of the `nth` deep notification of a deep recipient, oldest first. */
    deepAddress: (recipient: number, nth: number): Address =>
      addressOf(recipient, firstDeepSequence + nth * deepGroups + Math.floor(recipient / deepFanOut)),
  }
}

export function addressOf(recipient: number, sequence: number): Address {
  const subscriber = bytesOf(`subscriber ${Math.floor(recipient / recipientsPerSubscriber)}`)
  return { subscriber, recipient: bytesOf(`recipient ${recipient}`), id: idOf(sequence) }
}

function fanOutTo(recipients: readonly number[], sequence: number): Notification[] {
  const content = contentOf(sequence)
  return recipients.map((recipient) => ({ address: addressOf(recipient, sequence), content }))
}

function evenFeeds(fanOut: number, count: number, firstSequence: number): Notification[] {
  const groups = recipientsPerSubscriber / fanOut
  return Array.from({ length: count / fanOut }, (_, event) => {
    const subscriber = event % subscribers
    const turn = Math.floor(event / subscribers)
    // Every pass over a subscriber's recipients permutes them: 7 ** n and 1,000 have no common divisor.
    const stride = 7 ** (Math.floor(turn / groups) % 5)
    const recipients = Array.from({ length: fanOut }, (_, i) => {
      const dealt = (((turn % groups) * fanOut + i) * stride) % recipientsPerSubscriber
      return subscriber * recipientsPerSubscriber + dealt
    })
    return fanOutTo(recipients, firstSequence + event)
  }).flat()
}
