const EXIT_WITHIN_MS = 60_000

/**
 * Once all tests have run, a process that something keeps alive is a leak: after a minute it is reported, and ends the
 * run as a failure. A process without a leak has ended by then.
 */
export function failOnLeak(results, report) {
  // Its parent process kills this one if it does not even get so far.
  process.send?.(results.numFailedTests + results.numRuntimeErrorTestSuites === 0 ? 0 : 1)
  const limit = setTimeout(() => {
    process.stdout.write(`FAILED leak: still open after all tests: ${process.getActiveResourcesInfo().join(', ')}\n`)
    report()
    process.exit(1)
  }, EXIT_WITHIN_MS)
  limit.unref()
}
