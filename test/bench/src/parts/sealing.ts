import { createSealing } from '@herald/local-herald'
import { createTokenIssuer } from '@herald/token-issuer'
import type { Db } from 'mongodb'
import { alternate } from '../alternate.ts'
import type { Figure } from '../figure.ts'
import { startIngest } from '../ingest/contestant.ts'
import { alternateDrains, createFullTopic, type DrainTask, drainFigure } from '../ingest/drain.ts'
import { changeEvent } from '../ingest/events.ts'
import { fillTopic } from '../ingest/fill-topic.ts'
import type { BenchContext, Part } from '../part.ts'
import { measureProofs } from '../sealing/proofs.ts'
import { type Sealer, startSealer } from '../sealing/sealer.ts'
import { measureShown, shownPerSecond } from '../sealing/shown.ts'
import { serviceSettings } from '../settings.ts'

/** The figures of a backlog that is stored when the sealer starts. */
type Backlog = {
  readonly ordered: number
  readonly sealed: number
  readonly bytes: number
  readonly proof: number
  readonly get: number
}

const unit = 'documents/s'

async function createChanges({ smoke, servers }: BenchContext) {
  const documents = smoke ? 12_000 : 320_000
  const topic = await createFullTopic(servers.kafkaBrokers, 'change', documents, (name) =>
    fillTopic(servers.kafkaBrokers, name, documents, changeEvent),
  )
  return { documents, topic }
}

/** The recorded order and the sealed log: how fast they are, what they take, and what they cost ingest. */
export const sealing: Part = {
  name: 'sealing',
  about: 'change entries put in recorded order and sealed, what that costs ingest, and proofs',
  rounds: 5,
  async run(context) {
    if (context.against !== undefined) return compareSealers(context, context.against)
    const { documents, topic } = await createChanges(context)
    const backlogs: Backlog[] = []
    const sealedBeside: number[] = []
    const drains = await alternateDrains(context, {
      alone: {
        topic,
        start: startIngest,
        verify: async ({ collection: { dbName } }) => {
          backlogs.push(await measureBacklog(context, dbName, documents))
        },
      },
      ordered: beside({ topic, settings: {}, afterwards: (sealer) => sealer.waitFor(orderedCounter, documents) }),
      sealed: beside({
        topic,
        settings: createSealing(),
        async afterwards(sealer, seconds) {
          await sealer.waitFor(sealedCounter, documents)
          sealedBeside.push(documents / seconds())
        },
      }),
    })
    const shown = await alternate(
      context,
      { shown: () => measureShown(context) },
      (ms) => `shown after ${ms.toFixed(0)} ms`,
    )
    const alone = { name: 'nothing beside it', ...drainFigure(drains.alone) }
    return [
      {
        ...{ what: 'change events stored while they are put in order', unit },
        ...drainFigure(drains.ordered),
        beside: alone,
        cpuGoal: { atMost: 1.05 },
      },
      {
        ...{ what: 'change events stored while they are sealed', unit },
        ...drainFigure(drains.sealed),
        beside: alone,
        cpuGoal: { atMost: 1.05 },
      },
      { what: 'change entries sealed while they are stored', unit: 'leaves/s', measured: sealedBeside },
      {
        ...{ what: 'change entries of a backlog put in order, start included', unit: 'entries/s' },
        measured: backlogs.map(({ ordered }) => ordered),
        goal: { atLeast: 20_000 },
      },
      {
        ...{ what: 'change entries in order sealed, start included', unit: 'leaves/s' },
        measured: backlogs.map(({ sealed }) => sealed),
        goal: { atLeast: 20_000 },
      },
      {
        ...{ what: 'order, tree and checkpoints of a change entry, on disk', unit: 'bytes' },
        measured: backlogs.map(({ bytes }) => bytes),
      },
      {
        ...{ what: 'p50 of the proof of a change entry', unit: 'ms' },
        measured: backlogs.map(({ proof }) => proof),
        beside: { name: 'a page with one entry', measured: backlogs.map(({ get }) => get) },
        goal: { atMost: 2 },
      },
      {
        ...{ what: `entry stored → in the recorded order, p99 at ${shownPerSecond} a second`, unit: 'ms' },
        measured: shown.shown,
        goal: { atMost: 2_000 },
      },
    ] satisfies Figure[]
  },
}

/** Compares what the sealers of two checkouts cost ingest. */
async function compareSealers(context: BenchContext, checkout: string): Promise<Figure[]> {
  const { documents, topic } = await createChanges(context)
  const sealed = (from?: string) =>
    beside({
      topic,
      settings: createSealing(),
      checkout: from,
      afterwards: (sealer) => sealer.waitFor(sealedCounter, documents),
    })
  const drains = await alternateDrains(context, { here: sealed(), there: sealed(checkout) })
  return [
    {
      ...{ what: 'change events stored while they are sealed', unit },
      ...drainFigure(drains.here),
      beside: { name: 'sealed by the other checkout', ...drainFigure(drains.there) },
      goal: { atLeast: 0.97 },
    },
  ]
}

const orderedCounter = 'herald_order_entries_total'
const sealedCounter = 'herald_log_sealed_leaves_total'

type Beside = Pick<DrainTask, 'topic'> & {
  readonly settings: NodeJS.ProcessEnv
  /** The one that the sealer comes from; by default this one. */
  readonly checkout?: string | undefined
  readonly afterwards: (sealer: Sealer, seconds: () => number) => Promise<void>
}

/** Drains the topic while a sealer works. Its CPU time is not that of ingest. */
function beside({ topic, settings, checkout, afterwards }: Beside): DrainTask {
  let sealer: Sealer | undefined
  let begun = 0
  return {
    topic,
    async start(options) {
      const ingest = await startIngest(options)
      begun = performance.now()
      const own = serviceSettings({
        ...options,
        database: options.database.databaseName,
        tokens: await createTokenIssuer(),
      })
      sealer = await startSealer({ ...own, ...settings }, checkout)
      return {
        ...ingest,
        async stop() {
          await Promise.all([ingest.stop(), sealer?.stop()])
        },
      }
    },
    async verify() {
      if (sealer === undefined) throw new Error('No sealer was started')
      await afterwards(sealer, () => (performance.now() - begun) / 1_000)
    },
  }
}

async function measureBacklog({ servers, client }: BenchContext, name: string, documents: number): Promise<Backlog> {
  const tokens = await createTokenIssuer()
  const settings = serviceSettings({ ...servers, database: name, tokens })
  const ordered = await measureWork(settings, orderedCounter, documents)
  const sealed = await measureWork({ ...settings, ...createSealing() }, sealedCounter, documents)
  const database = client.db(name)
  const bytes = (await diskBytes(database)) / documents
  return { ordered, sealed, bytes, ...(await measureProofs(settings, database, tokens)) }
}

/** Measures how much a new process counts in a second, until its counter has a value. */
async function measureWork(settings: NodeJS.ProcessEnv, counter: Parameters<Sealer['waitFor']>[0], count: number) {
  const begun = performance.now()
  const sealer = await startSealer(settings)
  try {
    await sealer.waitFor(counter, count)
    return count / ((performance.now() - begun) / 1_000)
  } finally {
    await sealer.stop()
  }
}

/** The collections of the sealed log with their indexes, after a checkpoint. */
async function diskBytes(database: Db): Promise<number> {
  await database.admin().command({ fsync: 1 })
  const stats = await Promise.all(
    ['log-pages', 'log-nodes', 'log-checkpoints'].map((collStats) => database.command({ collStats })),
  )
  return stats.reduce((sum, { storageSize, totalIndexSize }) => sum + storageSize + totalIndexSize, 0)
}
