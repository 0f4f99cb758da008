import type { StartedService } from '@herald/local-herald'
import type { PartContext } from '../part.ts'
import { otherRelease } from '../stack/other-release.ts'
import { pause } from '../until.ts'
import { watchProgress } from './progress.ts'
import { announcingSetting, followRolledAnnouncements, type RolledAnnouncements } from './rolled-announcements.ts'
import { followStreams } from './rolled-streams.ts'

const exitWithinMs = 25_000
/** How long a deployment waits after a new member is ready before it stops an old one. */
const settleMs = 3_000
/** Less than the members can handle; the short run shares its cores with the other lanes. */
const eventsPerSecond = ({ isShort }: PartContext) => (isShort ? 400 : 1_500)
/** Before, between and after the rolls, while all members are of one release. */
const eventsBetween = 2_000

let notes: Record<string, unknown> = {}

/**
 * Turns announcements on by a roll-out of their setting. Then rolls out a release under load like a deployment with a surge of
 * one: starts a member of the new release, then sends SIGTERM to one of the old, until all are replaced; then rolls back. The
 * other release is the one before this; where it is missing, both are the same build.
 */
export async function rollRelease(context: PartContext): Promise<void> {
  const { campaign, times, log } = context
  const { fleet } = campaign
  const found = otherRelease()
  const other = found.kind === 'found' ? found : undefined
  log(found.kind === 'found' ? `The other release is ${found.name}` : `Without another release: ${found.reason}`)
  const gaps: { joined: number[]; left: number[] } = { joined: [], left: [] }
  const announcements = await followRolledAnnouncements(context)
  const streams = await startStreams(context, announcements).catch((error) => {
    announcements.stop()
    throw error
  })
  const progress = watchProgress(context, 50)
  let figures = {}
  try {
    await campaign.load.produce(eventsBetween)
    for (let roll = 0; roll < times; roll++) {
      // Roll out and back, so that each release is replaced by the other.
      const isBack = roll % 2 === 0
      const [, second] = fleet.members
      for (const old of [...fleet.members]) {
        await underLoad(context, `a member ${isBack && other ? 'of the other release' : ''} joins`, async () => {
          progress.take()
          await fleet.grow(isBack ? other?.ingestFile : undefined)
          await pause(settleMs)
          gaps.joined.push(progress.take())
        })
        await underLoad(context, 'an old member gets SIGTERM', async () => {
          progress.take()
          if (old === second) await streams.roll(isBack ? other?.queryFile : undefined)
          await retire(context, old)
          await pause(settleMs)
          gaps.left.push(progress.take())
        })
      }
      log(`replaced all ${fleet.members.length} members`)
      await campaign.load.produce(eventsBetween)
    }
    figures = { announcements: await announcements.check(), streams: await streams.check() }
  } finally {
    const longestMs = await progress.stop()
    announcements.stop()
    await streams.stop()
    notes = {
      otherRelease: found.kind === 'found' ? found.name : found.reason,
      membersReplaced: gaps.left.length,
      longestGapMs: longestMs,
      gapsMs: gaps,
      ...figures,
    }
    log(`gaps in progress: ${JSON.stringify(notes)}`)
  }
}

export const rollingNotes = () => notes

async function startStreams(context: PartContext, announcements: RolledAnnouncements) {
  await turnOnAnnouncements(context, announcements)
  return followStreams(context)
}

/** Replaces the members by others with the topic: announces nothing that was stored before, and everything afterwards. */
async function turnOnAnnouncements(context: PartContext, announcements: RolledAnnouncements): Promise<void> {
  const { fleet, load } = context.campaign
  await announcements.become('no')
  await load.produce(eventsBetween)
  await announcements.become('some')
  fleet.use(announcingSetting(context))
  const rate = eventsPerSecond(context)
  for (const old of [...fleet.members]) {
    const more = load.produce(rate * 2, { rate })
    await fleet.grow()
    await retire(context, old)
    await more
  }
  await announcements.become('yes')
}

async function underLoad(context: PartContext, fault: string, act: () => Promise<void>) {
  const { campaign, strikes, log } = context
  const rate = eventsPerSecond(context)
  await campaign.marks.make(5)
  const inFlight = await campaign.load.fill()
  strikes.push({ fault, inFlight })
  log(`${fault}: ${inFlight} records in flight`)
  // Enough events until the group has settled, so that a gap is not caused by a lack of records.
  const more = campaign.load.produce(rate * 6, { rate })
  await act()
  await more
}

async function retire({ campaign }: PartContext, member: StartedService) {
  const startedAt = Date.now()
  const exited = campaign.fleet.retire(member)
  const exit = await Promise.race([exited, pause(exitWithinMs * 2)])
  const ms = Date.now() - startedAt
  if (exit?.code !== 0 || ms > exitWithinMs) {
    const how = exit ? `exited with code ${exit.code}` : 'did not exit'
    campaign.violations.add('exit', `ingest ${how} after ${ms} ms`)
  }
}
