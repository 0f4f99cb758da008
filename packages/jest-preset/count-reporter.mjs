import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/**
 * Writes what a run counted to `$HERALD_TEST_COUNTS/<package>.json`, so that one line can be printed for all packages.
 * Without that variable it does nothing.
 */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    const folder = process.env.HERALD_TEST_COUNTS
    if (!folder) return
    mkdirSync(folder, { recursive: true })
    const counts = {
      passed: results.numPassedTests,
      // A suite that could not even be loaded has no tests to count, and is a failure all the same.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    }
    writeFileSync(join(folder, `${basename(process.cwd())}.json`), JSON.stringify(counts))
  }
}
