import type { Figure } from '../figure.ts'
import { type Distribution, distributionOf, showDistribution } from '../load/distribution.ts'
import { withLoadedHerald } from '../load/loaded-herald.ts'
import type { Part } from '../part.ts'

const eventsPerSecond = 500
const eventsPerRound = 10_000
/** In the first minute all processes, above all the broker, still compile what they run. */
const warmUpRounds = 3

type Round = { readonly listed: Distribution; readonly streamed: Distribution }

/** The latency of an event from the intended time of its production to its recipient, in the list and on an open stream. */
export const latency: Part = {
  name: 'latency',
  about: `from an event’s producer to its recipient, at ${eventsPerSecond} events a second`,
  rounds: 5,
  run(context) {
    const { servers, rounds, smoke, log } = context
    const streams = smoke ? 20 : 500
    const seconds = (smoke ? 200 : eventsPerRound) / eventsPerSecond
    return withLoadedHerald(context, { groups: streams, recipients: 1, subscribers: 20 }, async (loaded) => {
      const { herald, users, start, next } = loaded
      const recipients = 1
      const url = herald.query.url
      const publisher = await start('publish', {
        brokers: servers.kafkaBrokers,
        topic: herald.topics.mention,
        users,
        recipients,
      })
      const reader = await start('list', { url, users, recipients })
      const listeners = await start('listen', { url, users, recipients, streams })
      const measured: Round[] = []
      for (let round = smoke ? 0 : 1 - warmUpRounds; round <= rounds; round++) {
        const schedule = next(eventsPerSecond, seconds)
        const [listed, streamed] = await Promise.all(
          [reader, listeners, publisher].map(async (loader) => distributionOf(await loader.run(schedule))),
        )
        if (listed === undefined || streamed === undefined) continue
        if (round > 0) measured.push({ listed, streamed })
        const name = round > 0 ? `round ${round} of ${rounds}` : 'warm-up'
        log(`${name}: listed ${showDistribution(listed)}; on a stream ${showDistribution(streamed)}`)
      }
      return toFigures(measured, streams)
    })
  },
}

function toFigures(measured: readonly Round[], streams: number): Figure[] {
  const of = (take: (round: Round) => number) => ({ unit: 'ms', measured: measured.map(take) })
  return [
    { what: 'event produced → listed, p50', ...of(({ listed }) => listed.p50), goal: { atMost: 12 } },
    { what: 'event produced → listed, p99', ...of(({ listed }) => listed.p99), goal: { atMost: 50 } },
    {
      what: `event produced → on a stream, p99 of ${streams} streams`,
      ...of(({ streamed }) => streamed.p99),
      goal: { atMost: 60 },
    },
  ]
}
