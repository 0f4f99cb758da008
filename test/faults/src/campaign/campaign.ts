import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTopics, type HeraldTopics, topicsWithSuffix } from '@herald/test-servers'
import type { Mutant } from '../mutants/mutants.ts'
import { type DeadLetterLog, followDeadLetters } from '../oracle/dead-letter-log.ts'
import type { EventPlan } from '../oracle/event-plan.ts'
import { checkFinally, type Figures } from '../oracle/final-check.ts'
import { createGroupOffsets, type GroupOffsets } from '../oracle/group-offsets.ts'
import { type Ledger, openLedger } from '../oracle/ledger.ts'
import { createLiveCheck, type LiveCheck } from '../oracle/live-check.ts'
import { createReadMarks, type ReadMarks } from '../oracle/read-marks.ts'
import { openStoredDocuments, type StoredDocuments } from '../oracle/stored-documents.ts'
import { createViolations, type Violations } from '../oracle/violations.ts'
import type { Stack } from '../stack/stack.ts'
import { pause, until } from '../until.ts'
import { type IngestFleet, startIngestFleet } from './ingest-fleet.ts'
import { createLoad, type Load } from './load.ts'
import { startProducer } from './producer.ts'

export const partitionsPerTopic = 3
const checkAttempts = 5

export type CampaignOptions = {
  name: string
  stack: Stack
  python: NodeJS.ProcessEnv
  log: (line: string) => void
  mutant?: Mutant | undefined
  /** The number of ingest processes; 3 by default. */
  members?: number
  /** The number of subscribers that the events are of. */
  subscribers: number
  /** How long before now the time of the first event is; four hours by default. */
  firstEventAgoMs?: number | undefined
}

/** A group of ingest processes with its own topics and database, a producer, and the oracle that watches them. */
export type Campaign = {
  name: string
  groupId: string
  plan: EventPlan
  python: NodeJS.ProcessEnv
  topics: HeraldTopics
  originTopics: string[]
  fleet: IngestFleet
  load: Load
  ledger: Ledger
  offsets: GroupOffsets
  stored: StoredDocuments
  deadLetters: DeadLetterLog
  live: LiveCheck
  marks: ReadMarks
  violations: Violations
  log: (line: string) => void
  /** Waits until every acknowledged record is committed and the live check has compared it. */
  drain(options?: { readonly withinMs?: number }): Promise<void>
  check(): Promise<Figures>
  stop(): Promise<void>
}

export async function startCampaign(options: CampaignOptions): Promise<Campaign> {
  const { stack, python, log, mutant, members: size = 3, subscribers, firstEventAgoMs = 4 * 60 * 60_000 } = options
  const name = `${options.name}-${Date.now().toString(36)}`
  const topics = await createTopics(stack.broker.direct.split(','), topicsWithSuffix(name), {
    partitions: partitionsPerTopic,
  })
  const originTopics = [topics.mention, topics.change, topics.receipt]
  const groupId = `faults-${name}`
  const plan: EventPlan = { source: `urn:faults:${name}`, baseMs: Date.now() - firstEventAgoMs, subscribers }
  const folder = await mkdtemp(join(tmpdir(), 'herald-faults-'))
  const acknowledgements = join(folder, 'acknowledged.log')
  const database = `faults-${name}`
  const deadLetters = followDeadLetters({
    python,
    broker: stack.broker.direct,
    topic: topics.deadLetter,
    partitions: partitionsPerTopic,
  })
  const topicNames = { mention: topics.mention, change: topics.change, receipt: topics.receipt }
  const producer = startProducer({
    python,
    brokers: stack.broker.direct,
    topics: topicNames,
    ...plan,
    log: acknowledgements,
  })
  const ledger = await openLedger(acknowledgements, topicNames)
  const offsets = createGroupOffsets(stack.broker.direct, groupId, originTopics)
  const violations = createViolations(log)
  const stored = openStoredDocuments(stack.mongo.client.db(database))
  const marks = createReadMarks({ plan, ledger, stored })
  const watched = { plan, ledger, offsets, stored, deadLetters, violations }
  const live = createLiveCheck({ ...watched, deadLetterTopic: topics.deadLetter })
  const load = createLoad({ ledger, offsets, producer, log })
  let fleet: IngestFleet | undefined

  const stop = async (): Promise<void> => {
    await live.stop()
    producer.stop()
    deadLetters.stop()
    await fleet?.stop()
    await offsets.close()
    await ledger.close()
    await rm(folder, { recursive: true, force: true })
    await stack.mongo.client.db(database).dropDatabase()
  }

  try {
    fleet = await startIngestFleet({ stack, topics, groupId, database, size, mutant })
  } catch (error) {
    await stop()
    throw error
  }
  live.start()

  return {
    name,
    groupId,
    python,
    topics,
    originTopics,
    fleet,
    load,
    log,
    marks,
    ...watched,
    live,
    stop,
    async drain({ withinMs = 300_000 } = {}) {
      await load.settled()
      await ledger.refresh()
      let behind: string[] = []
      const isDrained = async () => {
        const ends = await offsets.ends()
        const committed = await offsets.committed()
        behind = [...ends]
          .filter(([partition, end]) => (committed.get(partition) ?? 0) < end)
          .map(([partition, end]) => `${committed.get(partition) ?? 0} of ${end} of ${partition}`)
        return behind.length === 0 && live.hasReached(ends)
      }
      const limits = { withinMs, everyMs: 200 }
      await until('all acknowledged records to be committed and compared', isDrained, limits).catch((cause) => {
        throw new Error(`Committed: ${behind.join(', ') || 'everything'}`, { cause })
      })
      if (live.copies() > 0) log(`${live.copies()} records that were sent again have no acknowledgement of their own`)
    },
    /** Begins anew after an election, which a busy machine may hold meanwhile. */
    async check() {
      for (let attempt = 1; ; attempt++) {
        const found: Parameters<Violations['add']>[] = []
        const collected = { ...violations, add: (...one: Parameters<Violations['add']>) => void found.push(one) }
        try {
          const figures = await checkFinally({ ...watched, violations: collected, marks: marks.made })
          for (const one of found) violations.add(...one)
          return figures
        } catch (error) {
          if (attempt === checkAttempts) throw error
          await pause(1_000)
        }
      }
    },
  }
}
