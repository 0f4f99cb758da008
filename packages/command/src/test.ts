import { randomUUID } from 'node:crypto'
import { cacheFolder, startServers } from '@herald/test-servers/source'
import { createProgress } from '../bin/progress.mjs'
import { stopRequest } from './stop-request.ts'
import { type Part, partsOf, readCounts, summary } from './test-counts.ts'
import { runInWorkspace } from './workspace.ts'

const progress = createProgress()
const failures: string[] = []
const [ownArgs, jestArgs] = splitArguments(process.argv.slice(2))
/** `--pure` leaves out the tests that need servers. */
const tasks: readonly Part['task'][] = ownArgs.includes('--pure') ? ['test:pure'] : ['test:pure', 'test:servers']
const turboArgs = ownArgs.filter((argument) => argument !== '--pure')

/** Each part has workers of its own, and servers beside them: two parts keep two cores busy, and three make each test wait. */
const partsAtOnce = 2

/**
 * As long as all others together: turbo would begin query last, which depends on most packages, so that it would end alone. A part
 * that waits much goes beside one that computes.
 */
const longest = ['@herald/query', '@herald/client', '@herald/change-log', '@herald/store', '@herald/command']

/** Runs a step and prints its output if it fails. Returns whether it succeeded. */
async function step(name: string, command: 'npm' | 'turbo', args: readonly string[]): Promise<boolean> {
  progress(`${name}.`)
  const { ok, output } = await runInWorkspace(command, args)
  if (ok) return true
  console.log(output)
  failures.push(`${name} failed.`)
  return false
}

/** The runs of turbo that go on side by side. Without a build, turbo says which parts can't run. */
function lanesOf(isBuilt: boolean): string[][] {
  if (!isBuilt || turboArgs.length > 0) return [[`--concurrency=${partsAtOnce}`, ...turboArgs]]
  // Nothing is built again: turbo would write files of one lane that tests of the other one read.
  return [
    ['--only', '--concurrency=1', ...longest.map((name) => `--filter=${name}`)],
    ['--only', `--concurrency=${partsAtOnce - 1}`, ...longest.map((name) => `--filter=!${name}`)],
  ]
}

async function findServers() {
  if (!tasks.includes('test:servers')) return undefined
  progress('Looking for Kafka and MongoDB.')
  return startServers({ log: progress, onProgress: progress.moves })
}

async function runTests(run: string) {
  const build = ['run', 'build', 'types', '--continue', '--output-logs=errors-only', ...turboArgs]
  const starting = findServers()
  const linted = step('Lint', 'npm', ['run', '--silent', 'lint'])
  const built = step('Build and types', 'turbo', build)
  const [begun] = await Promise.allSettled([starting, linted, built])
  if (begun.status === 'rejected') throw begun.reason
  const servers = begun.value
  const isBuilt = await built
  try {
    progress(servers ? `Tests, with Kafka (${servers.found.kafka}) and MongoDB (${servers.found.mongodb}).` : 'Tests.')
    const environment = {
      HERALD_TEST_RUN: run,
      HERALD_CACHE: cacheFolder(process.env),
      ...(servers && { KAFKA_BROKERS: servers.kafkaBrokers.join(','), MONGODB_URI: servers.mongodbUri }),
    }
    const runLane = (lane: readonly string[]) => {
      const args = ['run', ...tasks, '--continue=always', '--output-logs=new-only', ...lane, ...jestArgs]
      return runInWorkspace('turbo', args, { shown: true, environment })
    }
    const lanes = await Promise.all(lanesOf(isBuilt).map(runLane))
    return lanes.every(({ ok }) => ok)
  } finally {
    if (servers) progress('Stopping Kafka and MongoDB.')
    await servers?.stop()
  }
}

async function testAll() {
  const run = randomUUID()
  const ok = await runTests(run).catch((error: Error) => {
    failures.push(error.message)
    return false
  })
  const counts = await readCounts(run, await partsOf(tasks, turboArgs))
  for (const name of counts.silent) failures.push(`${name} did not report any counts.`)
  if (!ok && counts.failed === 0 && failures.length === 0) failures.push('turbo run failed.')
  console.log(summary(counts, failures))
  return counts.failed + failures.length === 0
}

function splitArguments(args: readonly string[]): [string[], string[]] {
  const at = args.indexOf('--')
  return at < 0 ? [[...args], []] : [args.slice(0, at), args.slice(at)]
}

const passed = await Promise.race([testAll(), stopRequest().then(() => undefined)])
process.exit(passed ? 0 : passed === undefined ? 130 : 1)
