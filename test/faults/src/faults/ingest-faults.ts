import type { StartedService } from '@herald/local-herald'
import { lasting, type PartContext, strike } from '../part.ts'
import { pause } from '../until.ts'

const exitWithinMs = 25_000
/** Longer than the session timeout. */
const beyondSessionSeconds = 33

const memberAt = ({ campaign }: PartContext, index: number) =>
  campaign.fleet.members[index % campaign.fleet.members.length] as StartedService

/**
 * Kills up to three members in a row with `kill -9`, each with records in flight, before they restart: the group notices a
 * kill only after ten seconds, so that killing one at a time would mostly be waiting.
 */
export async function killIngest(context: PartContext): Promise<void> {
  const { campaign, times, strikes, log } = context
  for (let done = 0; done < times; ) {
    const round = Math.min(campaign.fleet.members.length, times - done)
    await campaign.marks.make(20)
    for (let index = 0; index < round; index++) {
      const inFlight = await campaign.load.fill()
      memberAt(context, index).kill('SIGKILL')
      strikes.push({ fault: 'ingest kill -9', inFlight })
      log(`ingest kill -9 (${done + index + 1} of ${times}): ${inFlight} records in flight`)
    }
    done += round
    await Promise.all(Array.from({ length: round }, (_, index) => memberAt(context, index).restart()))
    await campaign.load.caughtUp()
  }
}

/** Sends SIGTERM under load: the process must exit in time with code 0. */
export async function endIngest(context: PartContext): Promise<void> {
  const { campaign, times, log } = context
  for (let done = 0; done < times; done++) {
    const member = memberAt(context, done)
    let startedAt = 0
    await strike(
      context,
      `ingest SIGTERM (${done + 1} of ${times})`,
      () => {
        startedAt = Date.now()
        member.kill('SIGTERM')
      },
      async () => {
        const exit = await Promise.race([member.exited, pause(exitWithinMs * 2)])
        const ms = Date.now() - startedAt
        if (exit?.code !== 0 || ms > exitWithinMs) {
          const how = exit ? `exited with code ${exit.code}, signal ${exit.signal}` : 'did not exit'
          campaign.violations.add('exit', `ingest ${how} after ${ms} ms`)
        }
        log(`exited after ${ms} ms`)
        await member.restart()
      },
    )
  }
}

/** Suspends a member beyond the session timeout: the group continues without it, and it resumes as if still a member. */
export async function stopIngest(context: PartContext): Promise<void> {
  const { times } = context
  for (let done = 0; done < times; done++) {
    const member = memberAt(context, done)
    await strike(
      context,
      `ingest SIGSTOP ${beyondSessionSeconds} s (${done + 1} of ${times})`,
      () => member.kill('SIGSTOP'),
      async () => {
        try {
          await lasting(beyondSessionSeconds)
        } finally {
          member.kill('SIGCONT')
        }
      },
    )
  }
}
