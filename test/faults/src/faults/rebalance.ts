import type { StartedService } from '@herald/local-herald'
import type { PartContext } from '../part.ts'
import { pause } from '../until.ts'
import { watchProgress } from './progress.ts'

const everyMs = 5_000

/** Lets a member leave or join every 5 s for 3 minutes: the group must make progress all the time. */
export async function rebalanceAgainAndAgain(context: PartContext): Promise<void> {
  const { campaign, isShort, strikes, log } = context
  const progress = watchProgress(context)
  const until = Date.now() + (isShort ? 20_000 : 180_000)
  let absent: StartedService | undefined
  try {
    for (let turn = 0; Date.now() < until; turn++) {
      const nextAt = Date.now() + everyMs
      const inFlight = await campaign.load.fill({ rate: 2_000 })
      if (absent) {
        await absent.restart()
        absent = undefined
      } else {
        absent = campaign.fleet.members[turn % campaign.fleet.members.length] as StartedService
        absent.kill('SIGTERM')
        await absent.exited
      }
      strikes.push({ fault: 'rebalance', inFlight })
      log(`a member ${absent ? 'left' : 'joined'}: ${inFlight} records in flight`)
      await pause(Math.max(0, nextAt - Date.now()))
    }
    await absent?.restart()
    await campaign.load.caughtUp()
  } finally {
    const longest = await progress.stop()
    log(`the longest time without a commit was ${longest} ms`)
  }
}
