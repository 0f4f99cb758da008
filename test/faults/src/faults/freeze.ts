import { type People, peopleSubscriber, startPeopleOf } from '../campaign/people.ts'
import { uuidOf } from '../oracle/announced-notification.ts'
import type { AnnouncedEvent } from '../oracle/announcement-log.ts'
import { createDigestCheck } from '../oracle/digest-check.ts'
import { removePeople } from '../oracle/people-check.ts'
import { type Lane, lasting, type Part, type PartContext } from '../part.ts'
import { pause } from '../until.ts'
import { startAnnouncementLog, topicOf, untilAnnounced, untilDigestsAnnounced } from './announcements.ts'
import { type CommitTimes, untilCommitted } from './commit-times.ts'
import { ofPeople, settle } from './erasures.ts'
import { followStreams, type RolledStreams } from './rolled-streams.ts'

const peoplePerFreeze = 200
/**
 * Instead of a minute and a quarter of an hour: 40 s are longer than a writer may take, and the oracle waits for the later
 * look. In this relation, since an insert that was sent has arrived or failed 8 s later.
 */
const limits = { insertWithinMs: 20_000, lookAgainMs: 45_000 } as const

type Target = 'ingest' | 'query' | 'primary' | 'broker'
type Freeze = { target: Target; seconds: number; isKilled: boolean }

/** 3 s is less than any time limit, 15 s more than the session of a member, 40 s more than any lease. */
const longSeconds = [3, 15, 40] as const
const freeze = (target: Target, seconds: number, isKilled: boolean): Freeze => ({ target, seconds, isKilled })

const lanes: Readonly<Record<Lane, { targets: readonly Target[]; short: readonly Freeze[]; isLong: boolean }>> = {
  members: { targets: ['ingest'], short: [freeze('ingest', 15, true)], isLong: false },
  servers: {
    targets: ['primary', 'broker'],
    short: [freeze('primary', 15, false), freeze('broker', 3, false)],
    isLong: true,
  },
  network: { targets: ['query'], short: [freeze('query', 3, true)], isLong: true },
}

/** A part per lane, each with processes or servers of its own to freeze. */
export const freezeParts: readonly Part[] = Object.keys(lanes).map((lane) => toPart(lane as Lane))

function toPart(lane: Lane): Part {
  const { targets, short, isLong } = lanes[lane]
  const long = longSeconds.flatMap((seconds) =>
    targets.flatMap((target) => [false, true].map((isKilled) => freeze(target, seconds, isKilled))),
  )
  let notes: Record<string, unknown> = {}
  return {
    name: `freeze-${targets.join('-')}`,
    lane,
    isAlone: true,
    isLong,
    short: 1,
    full: 1,
    subscribers: 11,
    async run(context) {
      notes = await freezeAll(context, context.isShort ? short : long)
    },
    notes: () => notes,
  }
}

/** Whether it is of the subscriber whose people are erased. */
export const isAboutPeople = ({ subscriberid }: AnnouncedEvent) => subscriberid === uuidOf(peopleSubscriber)

type Scene = { context: PartContext; people: People; streams: RolledStreams }
type Took = CommitTimes & { freeze: string }

/**
 * Stops one process or server after another, while events, announcements, digests, erasures, retractions and streams are
 * under way, and lets it continue: nothing may be lost, doubled, unmasked or told twice, and everything commits soon.
 */
async function freezeAll(context: PartContext, freezes: readonly Freeze[]): Promise<Record<string, unknown>> {
  const { campaign, log } = context
  const { fleet, violations } = campaign
  const digests = createDigestCheck(violations)
  const people = await startPeopleOf(context)
  const announcements = await startAnnouncementLog(
    context,
    (event, text) => digests.add(event, text) || isAboutPeople(event),
  )
  fleet.limit(limits)
  await fleet.restartWith({
    KAFKA_NOTIFICATION_TOPIC: topicOf(context),
    ANNOUNCE_UNREAD_AFTER_MINUTES: '1',
    ANNOUNCE_UNREAD_PER_HOUR: '100000',
  })
  await campaign.load.produce(1_000)
  await campaign.drain()
  const others = ofPeople(context)
  const streams = await followStreams(context)
  const took: Took[] = []
  try {
    await people.publish(peoplePerFreeze)
    for (const one of freezes) took.push(await freezeOne({ context, people, streams }, one))
    await settle(context, people)
    await removePeople(campaign.stored)
    await untilAnnounced(context, announcements, 0)
    for (const id of announcements.missing(0)) violations.add('announcement', `${id} is not announced`)
    await untilDigestsAnnounced(context, announcements)
    if (digests.figures().digests === 0) violations.add('announcement', 'there was no digest')
    const worst = took.toSorted((a, b) => b.committedMs - a.committedMs)[0]
    const announced = announcements.announced.size
    const retracted = people.retracted.size
    const notes = { worst, announced, ...digests.figures(), retracted, streams: await streams.check() }
    log(JSON.stringify(notes))
    return { ...notes, took }
  } finally {
    announcements.stop()
    for (const other of others) other.stop()
    await streams.stop()
    await people.stop()
  }
}

async function freezeOne(scene: Scene, given: Freeze): Promise<Took> {
  const { context, people } = scene
  const { campaign, strikes, log } = context
  const { target, seconds, isKilled } = given
  const name = `${target} SIGSTOP ${seconds} s${isKilled ? ', then kill -9' : ''}`
  await campaign.marks.make(10)
  const frozen = await find(scene, given)
  await people.publish(peoplePerFreeze)
  const inFlight = await campaign.load.fill()
  frozen.kill('SIGSTOP')
  strikes.push({ fault: name, inFlight })
  log(`${name}: ${inFlight} records in flight`)
  // Erasures and retractions of now are carried out by others, before the frozen process continues to write.
  const changed = change(scene)
  await lasting(seconds).finally(() => frozen.kill('SIGCONT'))
  let since = Date.now()
  let restarted: Promise<unknown> | undefined
  if (isKilled) {
    await pause(Math.random() * 1_000)
    frozen.kill('SIGKILL')
    restarted = Promise.resolve(frozen.restart())
    // It is awaited below; a failure until then must not end the suite.
    restarted.catch(() => {})
  }
  if (target === 'broker') {
    // The only broker: nothing can be committed before it is back.
    await restarted
    since = Date.now()
  }
  const took = await untilCommitted(context, since, name)
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
