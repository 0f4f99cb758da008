import type { StartedService } from '@herald/local-stack'
import { lasting, type PartContext, strike } from '../part.ts'
import { pause } from '../until.ts'

const exitWithinMs = 25_000
/** Longer than the group waits for a member that is silent. */
const beyondSessionSeconds = 33

const memberAt = ({ campaign }: PartContext, index: number) =>
  campaign.fleet.members[index % campaign.fleet.members.length] as StartedService

/**
 * `kill -9`, three at a time, a moment apart, each with its own records in flight: the group takes ten seconds to notice,
 * so that one after another would mostly be waiting.
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
      log(`ingest kill -9 (${done + index + 1} of ${times}): struck ${inFlight} records in flight`)
    }
    done += round
    await Promise.all(Array.from({ length: round }, (_, index) => memberAt(context, index).restart()))
    await campaign.load.caughtUp()
  }
}

/** SIGTERM under load: the process ends by itself, in time and with exit code 0. */
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
          const how = exit ? `code ${exit.code}, signal ${exit.signal}` : 'not at all'
          campaign.violations.add('exit', `ingest ended after ${ms} ms with ${how}`)
        }
        log(`ended after ${ms} ms`)
        await member.restart()
      },
    )
  }
}

/** SIGSTOP beyond the session's time-out: the group goes on without it, and it wakes up believing that it still belongs. */
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
