import { mkdirSync, writeFileSync } from 'node:fs'
import { failedLines } from './failed-lines.mjs'
import { failOnLeak } from './leaks.mjs'
import { skippedLines } from './skipped-lines.mjs'

/**
 * Prints a line for each failure. As a part of `npm test` (`$HERALD_TEST_RUN`), it also writes the counts of this part to
 * `.turbo/test-<part>.json`, from which `npm test` prints one line for all packages. Turbo restores the file of a part that
 * it does not run again; the name of the run in it shows that.
 */
export default class CountReporter {
  constructor(configuration) {
    this.configuration = configuration
  }

  onRunComplete(_contexts, results) {
    for (const line of [...skippedLines(results, this.configuration), ...failedLines(results)])
      process.stdout.write(`${line}\n`)
    const { HERALD_TEST_RUN: run, HERALD_TESTS: part } = process.env
    if (!run) return failOnLeak(results, () => {})
    const counts = {
      run,
      passed: results.numPassedTests,
      // A suite that could not be loaded has no tests and counts as one failure.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
      seconds: Math.round((Date.now() - results.startTime) / 1_000),
    }
    mkdirSync('.turbo', { recursive: true })
    const write = (leaks) =>
      writeFileSync(`.turbo/test-${part}.json`, JSON.stringify({ ...counts, failed: counts.failed + leaks }))
    write(0)
    failOnLeak(results, () => write(1))
  }
}
