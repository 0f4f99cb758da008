import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const mostCharacters = 400

/** One line `FAILED <file> › <test>: <message>` per failed test or suite, for the end of a long output. */
export function failedLines({ testResults }) {
  return testResults.flatMap(({ testFilePath, testResults: tests, testExecError, failureMessage }) => {
    const file = relative(process.cwd(), testFilePath)
    const lines = tests
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => `FAILED ${file} › ${fullName}: ${shortened(failureMessages.join(' '))}`)
    return testExecError ? [`FAILED ${file}: ${shortened(failureMessage ?? testExecError.message)}`, ...lines] : lines
  })
}

const shortened = (text) => stripVTControlCharacters(text).replace(/\s+/g, ' ').trim().slice(0, mostCharacters)
