// @boundaries-ignore Jest is a dependency of the workspace, as for the scripts of all packages.
import { run } from 'jest'

const PROBE_EVERY_MS = 20

/** Runs Jest, exits as soon as nothing else keeps the process alive, and reports the exit code to the parent process. */
const before = openResources()
await run()
process.once('exit', (code) => process.send?.(process.exitCode ?? code))
setInterval(() => {
  // The interval itself is one of them.
  if (openResources().length <= before.length + 1) process.exit()
}, PROBE_EVERY_MS)

function openResources() {
  // Standard output and standard error count from their first use.
  void [process.stdout, process.stderr]
  return process.getActiveResourcesInfo()
}
