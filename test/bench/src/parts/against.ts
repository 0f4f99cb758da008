import { alternate } from '../alternate.ts'
import type { Figure } from '../figure.ts'
import { startIngest } from '../ingest/contestant.ts'
import { alternateDrains, createFullTopic, type DrainTask, drainFigure, type FullTopic } from '../ingest/drain.ts'
import { changeEvent, type EventRecord, mentionEvent } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import { muteSome } from '../ingest/mutes.ts'
import { migrate } from '../migrate.ts'
import type { BenchContext, Part } from '../part.ts'
import { withQuery } from '../query/bench-query.ts'
import { measureRequests, ownRequests, requestFigure, showRequests, verifyTokens } from '../query/measure-requests.ts'
import { startBuilt } from '../start-built.ts'

const goal = { atLeast: 0.97 } as const

/** The services of this checkout compared with those of another one, in turns, on the same data. */
export const against: Part = {
  name: 'against',
  about: 'events stored, and pages, compared with another checkout',
  rounds: 5,
  run: async (context) => [...(await compareIngest(context)), ...(await comparePages(context))],
}

async function compareIngest(context: BenchContext): Promise<Figure[]> {
  const { servers, smoke, against: checkout } = context
  const documents = smoke ? 6_000 : 300_000
  const fill = (kind: FullTopic['kind'], each: number, event: (sequence: number) => EventRecord) =>
    createFullTopic(servers.kafkaBrokers, kind, documents, (topic) =>
      fillTopic(servers.kafkaBrokers, topic, documents / each, event),
    )
  const changes = await fill('change', 1, changeEvent)
  const one = await fill('mention', 1, (i) => mentionEvent(i, 1))
  const three = await fill('mention', 3, (i) => mentionEvent(i, 3))
  const here = (topic: FullTopic): DrainTask => ({ topic, start: startIngest })
  const whileMuted = (topic: FullTopic): DrainTask => ({
    topic,
    async start(options) {
      await muteSome(options.database)
      return startIngest(options)
    },
  })
  const there = (topic: FullTopic): DrainTask => ({ topic, start: (options) => startIngest(options, checkout) })
  const drains = await alternateDrains(context, {
    changes: here(changes),
    otherChanges: there(changes),
    one: here(one),
    mutedOne: whileMuted(one),
    otherOne: there(one),
    three: here(three),
    otherThree: there(three),
  })
  const compare = (what: string, own: keyof typeof drains, other: keyof typeof drains): Figure => ({
    what,
    unit: 'documents/s',
    ...drainFigure(drains[own]),
    beside: { name: 'the other checkout', ...drainFigure(drains[other]) },
    goal,
  })
  return [
    compare('change events stored', 'changes', 'otherChanges'),
    compare('mentions of 1 recipient stored', 'one', 'otherOne'),
    compare('mentions of 1 recipient stored, while 1 user in 100 has muted actors', 'mutedOne', 'otherOne'),
    compare('mentions of 3 recipients stored', 'three', 'otherThree'),
  ]
}

function comparePages(context: BenchContext): Promise<Figure[]> {
  const { smoke, against: checkout } = context
  const users = smoke ? 200 : 10_000
  const seconds = smoke ? 1 : 5
  return withQuery(context, { users, notificationsEach: 30 }, async (bench) => {
    await migrate(bench.settings, checkout)
    const other = await startBuilt('query', bench.settings, checkout)
    try {
      const measure = (query: typeof bench.query) => async () => {
        await verifyTokens({ ...bench, query })
        return measureRequests(context, query, { requests: ownRequests(bench, '/'), seconds })
      }
      const pages = await alternate(context, { here: measure(bench.query), there: measure(other) }, showRequests)
      return [
        {
          what: 'page of 20, authenticated',
          unit: 'requests/s',
          ...requestFigure(pages.here),
          beside: { name: 'the other checkout', ...requestFigure(pages.there) },
          goal,
        },
      ]
    } finally {
      await other.stop()
    }
  })
}
