import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { StartedService } from '@herald/local-stack'
import type { PartContext } from '../part.ts'
import { pause } from '../until.ts'
import { watchProgress } from './progress.ts'

const exitWithinMs = 25_000
/** What a deployment waits after a new member is ready, before the next old one goes. */
const settleMs = 3_000
/** Steady, and never so much that the members cannot follow. */
const eventsPerSecond = 1_500

let notes: Record<string, unknown> = {}

/**
 * A release under load, as a deployment with a surge of one does it: one more member of the new release, then SIGTERM to one
 * of the old, until all are replaced; and back again. `HERALD_OTHER_RELEASE` names a built checkout that is the old release;
 * without it both are the same build.
 */
export async function rollRelease(context: PartContext): Promise<void> {
  const { campaign, times, log } = context
  const { fleet } = campaign
  const other = otherRelease()
  const gaps: { joined: number[]; left: number[] } = { joined: [], left: [] }
  const progress = watchProgress(context, 50)
  try {
    for (let roll = 0; roll < times; roll++) {
      // There, and back: both releases end before the other, and both begin after it.
      const isBack = roll % 2 === 0
      for (const old of [...fleet.members]) {
        await underLoad(context, `a member ${isBack && other ? 'of the other release' : ''} joins`, async () => {
          progress.take()
          await fleet.grow(isBack ? other : undefined)
          await pause(settleMs)
          gaps.joined.push(progress.take())
        })
        await underLoad(context, 'an old member gets SIGTERM', async () => {
          progress.take()
          await retire(context, old)
          await pause(settleMs)
          gaps.left.push(progress.take())
        })
      }
      log(`all ${fleet.members.length} members are replaced`)
    }
    await campaign.load.caughtUp()
  } finally {
    const longestMs = await progress.stop()
    notes = { releases: other ? 2 : 1, membersReplaced: gaps.left.length, longestGapMs: longestMs, gapsMs: gaps }
    log(`gaps in progress: ${JSON.stringify(notes)}`)
  }
}

export const rollingNotes = () => notes

async function underLoad({ campaign, strikes, log }: PartContext, what: string, act: () => Promise<void>) {
  await campaign.marks.make(5)
  const inFlight = await campaign.load.fill()
  strikes.push({ fault: what, inFlight })
  log(`${what}: ${inFlight} records in flight`)
  // Enough to last until the group has settled, so that a gap is one and not the end of the work.
  const more = campaign.load.produce(eventsPerSecond * 6, { rate: eventsPerSecond })
  await act()
  await more
}

async function retire({ campaign }: PartContext, member: StartedService) {
  const startedAt = Date.now()
  const exited = campaign.fleet.retire(member)
  const exit = await Promise.race([exited, pause(exitWithinMs * 2)])
  const ms = Date.now() - startedAt
  if (exit?.code !== 0 || ms > exitWithinMs) {
    campaign.violations.add('exit', `ingest ended after ${ms} ms with ${exit ? `code ${exit.code}` : 'not at all'}`)
  }
}

function otherRelease(): string | undefined {
  const { HERALD_OTHER_RELEASE: folder } = process.env
  if (!folder) return undefined
  const file = join(folder, 'services', 'ingest', 'dist', 'main.js')
  if (!existsSync(file)) throw new Error(`HERALD_OTHER_RELEASE: ${file} is not there; is it built?`)
  return file
}
