import { leastInFlight } from '../campaign/load.ts'
import type { PartContext } from '../part.ts'
import { pause } from '../until.ts'

/** A group that commits nothing for so long, though members come and go in good order, stands still. */
const longestStandMs = 30_000

/** Watches for stretches in which much was in flight and nothing was committed. */
export function watchProgress({ campaign }: Pick<PartContext, 'campaign'>, everyMs = 200) {
  let stopped = false
  let longest = 0
  let longestSinceTaken = 0
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
      longestSinceTaken = Math.max(longestSinceTaken, Date.now() - since)
      await pause(everyMs)
    }
  }
  const watching = watch()
  return {
    /** The longest stretch since this was last asked, in milliseconds. */
    take() {
      const taken = longestSinceTaken
      longestSinceTaken = 0
      return taken
    },
    /** The longest stretch of all; one that is too long is a violation. */
    async stop() {
      stopped = true
      await watching
      if (longest > longestStandMs) campaign.violations.add('stall', `nothing was committed for ${longest} ms`)
      return longest
    },
  }
}
