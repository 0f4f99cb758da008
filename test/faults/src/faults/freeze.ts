import { type People, peopleSubscriber, startPeople } from '../campaign/people.ts'
import { uuidOf } from '../oracle/announced-notification.ts'
import type { AnnouncedEvent } from '../oracle/announcement-log.ts'
import { createDigestCheck } from '../oracle/digest-check.ts'
import { removePeople } from '../oracle/people-check.ts'
import { lasting, type PartContext } from '../part.ts'
import { pause, until } from '../until.ts'
import { startAnnouncementLog, topicOf, untilAnnounced } from './announcements.ts'
import { ofPeople, settle } from './erasures.ts'
import { followStreams, type RolledStreams } from './rolled-streams.ts'

/** How long a partition may have no commit after the frozen one continues, while it has records to commit. */
const standstillMs = 30_000
const peoplePerFreeze = 200

const targets = ['ingest', 'query', 'primary', 'broker'] as const
type Freeze = { target: (typeof targets)[number]; seconds: number; isKilled: boolean }

/** 3 s is less than any time limit, 15 s more than the session of a member, 40 s more than any lease. */
const shortFreezes: readonly Freeze[] = [
  { target: 'ingest', seconds: 15, isKilled: true },
  { target: 'primary', seconds: 15, isKilled: false },
  { target: 'broker', seconds: 3, isKilled: false },
  { target: 'query', seconds: 3, isKilled: true },
]
const longFreezes: readonly Freeze[] = [3, 15, 40].flatMap((seconds) =>
  targets.flatMap((target) => [false, true].map((isKilled) => ({ target, seconds, isKilled }))),
)

/** Whether it is of the subscriber whose people are erased. */
export const isAboutPeople = ({ subscriberid }: AnnouncedEvent) => subscriberid === uuidOf(peopleSubscriber)

type Scene = { context: PartContext; people: People; streams: RolledStreams }
type Took = { freeze: string; committedMs: number; standstillMs: number }

let notes: Record<string, unknown> = {}
export const freezeNotes = () => notes

/**
 * Stops one process or server after another, while events, announcements, digests, erasures, retractions and streams are
 * under way, and lets it continue: nothing may be lost, doubled, unmasked or told twice, and everything commits soon.
 */
export async function freezeEverything(context: PartContext): Promise<void> {
  const { campaign, stack, isShort, times, log } = context
  const digests = createDigestCheck(campaign.violations)
  const people = await startPeople({
    broker: stack.broker.direct,
    topics: campaign.topics,
    source: `${campaign.plan.source}:people`,
    baseMs: campaign.plan.baseMs,
  })
  const announcements = await startAnnouncementLog(
    context,
    (event, text) => digests.add(event, text) || isAboutPeople(event),
  )
  await campaign.fleet.restartWith({ KAFKA_NOTIFICATION_TOPIC: topicOf(context), ANNOUNCE_UNREAD_AFTER_MINUTES: '1' })
  await campaign.load.produce(1_000)
  await campaign.drain()
  const others = ofPeople(context)
  const streams = await followStreams(context)
  const took: Took[] = []
  try {
    await people.publish(peoplePerFreeze)
    for (let round = 0; round < times; round++) {
      for (const freeze of isShort ? shortFreezes : longFreezes) {
        took.push(await freezeOne({ context, people, streams }, freeze))
      }
    }
    await settle(context, people)
    await removePeople(campaign.stored)
    await untilAnnounced(context, announcements, 0)
    for (const id of announcements.missing(0)) campaign.violations.add('announcement', `${id} is not announced`)
    const worst = took.toSorted((a, b) => b.committedMs - a.committedMs)[0]
    const announced = announcements.announced.size
    const retracted = people.retracted.size
    notes = { worst, announced, ...digests.figures(), retracted, streams: await streams.check(), took }
    log(JSON.stringify({ ...notes, took: undefined }))
  } finally {
    announcements.stop()
    for (const other of others) other.stop()
    await streams.stop()
    await people.stop()
  }
}

async function freezeOne(scene: Scene, freeze: Freeze): Promise<Took> {
  const { context, people } = scene
  const { campaign, strikes, log } = context
  const { target, seconds, isKilled } = freeze
  const name = `${target} SIGSTOP ${seconds} s${isKilled ? ', then kill -9' : ''}`
  await campaign.marks.make(10)
  const frozen = await find(scene, freeze)
  await people.publish(peoplePerFreeze)
  const inFlight = await campaign.load.fill()
  frozen.kill('SIGSTOP')
  strikes.push({ fault: name, inFlight })
  log(`${name}: ${inFlight} records in flight`)
  // What is erased and retracted now is carried out by others, before the frozen process continues to write it.
  const changed = change(scene)
  await lasting(seconds).finally(() => frozen.kill('SIGCONT'))
  let since = Date.now()
  let restarted: Promise<unknown> | undefined
  if (isKilled) {
    await pause(Math.random() * 1_000)
    frozen.kill('SIGKILL')
    restarted = Promise.resolve(frozen.restart())
  }
  if (target === 'broker') {
    // The only broker: nothing can be committed before it is back.
    await restarted
    since = Date.now()
  }
  const took = await untilCommitted(context, since)
  const { committedMs, standstillMs: stoodMs } = took
  log(`${name}: everything committed ${committedMs} ms after it continued, no partition stood still for ${stoodMs} ms`)
  if (stoodMs > standstillMs) campaign.violations.add('recovery', `${name}: a partition stood still for ${stoodMs} ms`)
  await restarted
  await changed
  await campaign.load.caughtUp()
  return { freeze: name, ...took }
}

async function find({ context, streams }: Scene, { target }: Freeze) {
  const { campaign, stack, strikes } = context
  if (target === 'broker') return stack.broker
  if (target === 'query') return streams.current()
  if (target === 'primary') return stack.mongo.primary()
  const { members } = campaign.fleet
  const member = members[strikes.length % members.length]
  if (!member) throw new Error('There is no member')
  return member
}

/** Some are left, so that there is something to compare. */
const leftPeople = 4

async function change({ people }: Scene): Promise<void> {
  await people.retract(peoplePerFreeze / 10)
  if (people.erased.size < 12 - leftPeople) await people.eraseNext()
  await people.publishLate()
  await people.repeat(peoplePerFreeze)
}

/**
 * Waits until everything that is acknowledged now is committed. A busy machine takes its time for that, but no partition may
 * stand still.
 */
async function untilCommitted({ campaign: { offsets } }: PartContext, since: number) {
  let ends: ReadonlyMap<string, number> | undefined
  let longestMs = 0
  const last = new Map<string, { offset: number; at: number }>()
  const isCommitted = async () => {
    ends ??= await offsets.ends()
    const committed = await offsets.committed()
    const now = Date.now()
    const open = [...ends].filter(([partition, end]) => {
      const offset = committed.get(partition) ?? 0
      const before = last.get(partition)
      longestMs = Math.max(longestMs, now - (before?.at ?? since))
      const isDone = offset >= end
      if (isDone || (before && offset > before.offset)) last.set(partition, { offset, at: now })
      else if (!before) last.set(partition, { offset, at: since })
      return !isDone
    })
    return open.length === 0
  }
  await until('everything to be committed', isCommitted, { withinMs: 600_000 })
  return { committedMs: Date.now() - since, standstillMs: longestMs }
}
