import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { failedLines } from './failed-lines.mjs'
import { failOnLeak } from './leaks.mjs'
import { skippedLines } from './skipped-lines.mjs'

/**
 * Prints a line for each failure, and writes the counts of the run to `$HERALD_TEST_COUNTS/<package>.json` when that
 * variable is set, so that one line can be printed for all packages.
 */
export default class CountReporter {
  constructor(configuration) {
    this.configuration = configuration
  }

  onRunComplete(_contexts, results) {
    for (const line of [...skippedLines(results, this.configuration), ...failedLines(results)])
      process.stdout.write(`${line}\n`)
    const folder = process.env.HERALD_TEST_COUNTS
    if (!folder) return failOnLeak(results, () => {})
    mkdirSync(folder, { recursive: true })
    const counts = {
      passed: results.numPassedTests,
      // A suite that could not be loaded has no tests and counts as one failure.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    }
    const write = (leaks) =>
      writeFileSync(
        join(folder, `${basename(process.cwd())}.json`),
        JSON.stringify({ ...counts, failed: counts.failed + leaks }),
      )
    write(0)
    failOnLeak(results, () => write(1))
  }
}
