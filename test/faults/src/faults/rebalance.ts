import type { StartedService } from '@herald/local-stack'
import { leastInFlight } from '../campaign/load.ts'
import type { PartContext } from '../part.ts'
import { pause } from '../until.ts'

const everyMs = 5_000
/** A group that commits nothing for so long, though members come and go in good order, stands still. */
const longestStandMs = 30_000

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

/** Tells of every stretch in which much was in flight and nothing was committed. */
function watchProgress({ campaign }: PartContext) {
  let stopped = false
  let longest = 0
  const watch = async (): Promise<void> => {
    let last = -1
    let since = Date.now()
    while (!stopped) {
      const committed = await campaign.offsets.committed().catch(() => undefined)
      const sum = [...(committed ?? new Map()).values()].reduce((total, offset) => total + offset, 0)
      const isIdle = (await campaign.load.inFlight().catch(() => leastInFlight)) < leastInFlight / 2
      if (sum !== last || isIdle) {
        last = sum
        since = Date.now()
      }
      longest = Math.max(longest, Date.now() - since)
      await pause(200)
    }
  }
  const watching = watch()
  return {
    async stop() {
      stopped = true
      await watching
      if (longest > longestStandMs) campaign.violations.add('stall', `nothing was committed for ${longest} ms`)
      return longest
    },
  }
}
