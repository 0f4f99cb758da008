import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder, startServers } from '@herald/test-servers/source'
import { createProgress } from '../bin/progress.mjs'
import { stopRequest } from './stop-request.ts'
import { packagesWithTests, readCounts, summary } from './test-counts.ts'
import { runInWorkspace } from './workspace.ts'

const progress = createProgress()
const failures: string[] = []
const [turboArgs, jestArgs] = splitArguments(process.argv.slice(2))

/**
 * A package's tests mostly wait for servers, so three packages fit on two cores. No test has a time limit that would depend
 * on it.
 */
const packagesAtOnce = 3

/** Runs a step and prints its output if it fails. */
async function step(name: string, command: 'npm' | 'turbo', args: readonly string[]) {
  progress(`${name}.`)
  const { ok, output } = await runInWorkspace(command, args)
  if (ok) return
  console.log(output)
  failures.push(`${name} failed.`)
}

async function runTests(countsFolder: string) {
  const build = ['run', 'build', 'types', '--continue', '--output-logs=errors-only', ...turboArgs]
  await Promise.all([step('Lint', 'npm', ['run', '--silent', 'lint']), step('Build and types', 'turbo', build)])

  progress('Looking for Kafka and MongoDB.')
  const servers = await startServers({ log: progress, onProgress: progress.moves })
  try {
    progress(`Tests, with Kafka (${servers.found.kafka}) and MongoDB (${servers.found.mongodb}).`)
    const args = ['run', 'test', `--concurrency=${packagesAtOnce}`, '--continue=always', ...turboArgs, ...jestArgs]
    const { ok } = await runInWorkspace('turbo', args, {
      shown: true,
      environment: {
        KAFKA_BROKERS: servers.kafkaBrokers.join(','),
        MONGODB_URI: servers.mongodbUri,
        HERALD_TEST_COUNTS: countsFolder,
        HERALD_CACHE: cacheFolder(process.env),
      },
    })
    return ok
  } finally {
    progress('Stopping Kafka and MongoDB.')
    await servers.stop()
  }
}

async function testAll() {
  const countsFolder = await mkdtemp(join(tmpdir(), 'herald-counts-'))
  try {
    const ok = await runTests(countsFolder).catch((error: Error) => {
      failures.push(error.message)
      return false
    })
    const counts = await readCounts(countsFolder, await packagesWithTests(turboArgs))
    for (const name of counts.silent) failures.push(`${name} has tests but did not report any.`)
    if (!ok && counts.failed === 0 && failures.length === 0) failures.push('turbo run test failed.')
    console.log(summary(counts, failures))
    return counts.failed + failures.length === 0
  } finally {
    await rm(countsFolder, { recursive: true, force: true })
  }
}

function splitArguments(args: readonly string[]): [string[], string[]] {
  const at = args.indexOf('--')
  return at < 0 ? [[...args], []] : [args.slice(0, at), args.slice(at)]
}

const passed = await Promise.race([testAll(), stopRequest().then(() => undefined)])
process.exit(passed ? 0 : passed === undefined ? 130 : 1)
