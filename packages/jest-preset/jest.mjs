// @boundaries-ignore Jest is a dependency of the workspace, as for the scripts of all packages.
import { run } from 'jest'

const PROBE_EVERY_MS = 20

/**
 * Runs Jest and then ends the process as soon as nothing keeps it alive. The natural end of Node.js runs V8's pending tasks
 * first, which can go on for ever at full load (nodejs/node#47748, #54918); `process.exit()` does not wait for them.
 */
const before = openResources()
await run()
setInterval(() => {
  const open = openResources()
  // The interval itself is one of them.
  if (open.length <= before.length + 1) process.exit()
}, PROBE_EVERY_MS)

function openResources() {
  // Standard output and standard error count from their first use.
  void [process.stdout, process.stderr]
  return process.getActiveResourcesInfo()
}
