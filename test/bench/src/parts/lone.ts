import { randomUUID } from 'node:crypto'
import { eventually } from '@herald/test-servers'
import { alternate } from '../alternate.ts'
import { now } from '../clock.ts'
import { type CpuTime, cpuTimes, withCpuTime } from '../cpu-time.ts'
import type { Figure, Goal } from '../figure.ts'
import { startIngest } from '../ingest/contestant.ts'
import { createFullTopic, newDrainOptions } from '../ingest/drain.ts'
import { startLoader } from '../load/loader.ts'
import type { BenchContext, Part } from '../part.ts'
import type { User } from '../query/population.ts'

const recipients = 3
const startMs = 300
/** Ingest is warm after as many. */
const warmUp = { perSecond: 200, seconds: 15 } as const
const rates = [
  { perSecond: 20, seconds: 20, goal: { atMost: 0.5 } },
  { perSecond: 70, seconds: 12, goal: { atMost: 0.5 } },
  { perSecond: 500, seconds: 6, goal: { atMost: 0.7 } },
] as const satisfies readonly { perSecond: number; seconds: number; goal: Goal }[]

/** By rate. */
type Turn = ReadonlyMap<number, { readonly cpu: CpuTime }>

/** The CPU time of mentions that arrive steadily, mostly each alone; with another checkout, in turns with its ingest. */
export const lone: Part = {
  name: 'lone',
  about: `CPU time of a mention of ${recipients}, at ${rates.map(({ perSecond }) => perSecond).join(', ')} a second`,
  rounds: 5,
  async run(context) {
    const { against } = context
    const contestants = {
      here: () => measure(context),
      ...(against === undefined ? {} : { there: () => measure(context, against) }),
    }
    const { here = [], there } = await alternate<string, Turn>(context, contestants, showTurn, { warmUp: false })
    return rates.map(({ perSecond, goal }): Figure => {
      const of = (turns: readonly Turn[]) => {
        const measured = turns.map((turn) => turn.get(perSecond) ?? { cpu: {} })
        return { measured: measured.map(({ cpu }) => bothOf(cpu)), cpu: cpuTimes(measured) }
      }
      return {
        what: `CPU time of ingest and MongoDB for a mention of ${recipients}, at ${perSecond} a second`,
        unit: 'µs',
        ...of(here),
        ...(there && { beside: { name: 'the other checkout', ...of(there) }, goal }),
      }
    })
  },
}

const bothOf = ({ service = Number.NaN, mongod = 0 }: CpuTime) => service + mongod

const showTurn = (turn: Turn) =>
  [...turn]
    .map(([perSecond, { cpu }]) => `${perSecond}/s ${Object.values(cpu).map(Math.round).join(' + ')} µs`)
    .join(', ')

/** Starts ingest, of which no other one runs meanwhile, and sends it mentions at each rate. */
async function measure(context: BenchContext, checkout?: string): Promise<Turn> {
  const { servers, client, smoke, serverProcesses } = context
  const { kafkaBrokers: brokers } = servers
  const topic = await createFullTopic(brokers, 'mention', 0, async () => {})
  const options = await newDrainOptions({ servers, client }, topic)
  const { pids, collection, stop } = await startIngest(options, checkout)
  const publisher = await startLoader('publish', { brokers, topic: topic.name, users: createUsers(), recipients })
  let sent = 0
  const send = async (perSecond: number, seconds: number) => {
    const count = smoke ? 20 : perSecond * seconds
    const first = sent
    sent += count
    await publisher.run({ begin: now() + startMs, perSecond, first, count })
    const stored = async () => (await collection.estimatedDocumentCount()) >= sent * recipients
    await eventually(stored, { description: 'all mentions are stored', within: 60_000 })
    return { count }
  }
  const { mongod } = serverProcesses
  const processes = { service: pids, ...(mongod && { mongod }) }
  try {
    await send(warmUp.perSecond, warmUp.seconds)
    const turn = new Map<number, { readonly cpu: CpuTime }>()
    for (const { perSecond, seconds } of rates) {
      const work = () => send(perSecond, seconds)
      turn.set(perSecond, await withCpuTime(processes, work, ({ count }) => count))
    }
    return turn
  } finally {
    await publisher.stop()
    await stop()
    await options.database.dropDatabase()
  }
}

/** Without tokens, as nobody reads. */
function createUsers(): User[] {
  const subscriberIds = Array.from({ length: 100 }, () => randomUUID())
  return Array.from({ length: 3_000 }, (_, n) => {
    const subscriberId = subscriberIds[Math.floor(n / recipients) % subscriberIds.length] as string
    return { subscriberId, userId: randomUUID(), token: '' }
  })
}
