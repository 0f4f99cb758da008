import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { failedLines } from './failed-lines.mjs'

/**
 * Prints a line for each failure, and writes what a run counted to `$HERALD_TEST_COUNTS/<package>.json`, where there is
 * that variable, so that one line can be printed for all packages.
 */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    for (const line of failedLines(results)) process.stdout.write(`${line}\n`)
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
