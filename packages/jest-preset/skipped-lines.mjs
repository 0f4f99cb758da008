import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** One line `SKIPPED <file> › <test>` per skipped test, which CI looks up in its list; none where `-t` selects tests. */
export function skippedLines({ testResults }, { testNamePattern } = {}) {
  if (testNamePattern) return []
  return testResults.flatMap(({ testFilePath, testResults: tests }) =>
    tests
      .filter(({ status }) => status === 'pending' || status === 'todo')
      .map(({ fullName }) => `SKIPPED ${relative(root, testFilePath)} › ${fullName}`),
  )
}
