import { leastInFlight } from '../campaign/load.ts'
import type { PartContext } from '../part.ts'
import { pause } from '../until.ts'

/** The longest time that a group may take without a commit while members join and leave properly. */
const longestStallMs = 30_000

/** Measures the periods without a commit while records are in flight. */
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
    /** Returns the longest period since the last call, in milliseconds. */
    take() {
      const taken = longestSinceTaken
      longestSinceTaken = 0
      return taken
    },
    /** Returns the longest period of all; adds a violation if it is too long. */
    async stop() {
      stopped = true
      await watching
      if (longest > longestStallMs) campaign.violations.add('stall', `nothing was committed for ${longest} ms`)
      return longest
    },
  }
}
