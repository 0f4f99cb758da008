import type { StartedService } from '@herald/local-stack'
import type { PartContext } from '../part.ts'
import { pause } from '../until.ts'
import { watchProgress } from './progress.ts'

const everyMs = 5_000

/** Every 5 s a member leaves or joins, for 3 minutes: the group gets on with its work all the time. */
export async function rebalanceAgainAndAgain(context: PartContext): Promise<void> {
  const { campaign, isShort, strikes, log } = context
  const progress = watchProgress(context)
  const until = Date.now() + (isShort ? 20_000 : 180_000)
  let away: StartedService | undefined
  try {
    for (let turn = 0; Date.now() < until; turn++) {
      const nextAt = Date.now() + everyMs
      const inFlight = await campaign.load.fill({ rate: 2_000 })
      if (away) {
        await away.restart()
        away = undefined
      } else {
        away = campaign.fleet.members[turn % campaign.fleet.members.length] as StartedService
        away.kill('SIGTERM')
        await away.exited
      }
      strikes.push({ fault: 'rebalance', inFlight })
      log(`a member ${away ? 'left' : 'joined'}: ${inFlight} records in flight`)
      await pause(Math.max(0, nextAt - Date.now()))
    }
    await away?.restart()
    await campaign.load.caughtUp()
  } finally {
    const longest = await progress.stop()
    log(`the longest time without a commit was ${longest} ms`)
  }
}
