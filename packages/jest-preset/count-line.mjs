import { failedLines } from './failed-lines.mjs'
import { failOnLeak } from './leaks.mjs'
import { skippedLines } from './skipped-lines.mjs'

/** Ends the output of a run with a line for each failure and the line `N passed, N failed, N skipped`, which scripts read. */
export default class CountLine {
  constructor(configuration) {
    this.configuration = configuration
  }

  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    const skipped = results.numPendingTests + results.numTodoTests
    for (const line of [...skippedLines(results, this.configuration), ...failedLines(results)])
      process.stdout.write(`${line}\n`)
    const write = (leaks) =>
      process.stdout.write(`${results.numPassedTests} passed, ${failed + leaks} failed, ${skipped} skipped\n`)
    write(0)
    failOnLeak(results, () => write(1))
  }
}
