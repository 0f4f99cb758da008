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

/** Tests without servers compute, and tests with servers mostly wait, so that three parts fit on two cores. */
const partsAtOnce = 3

/** Runs a step and prints its output if it fails. */
async function step(name: string, command: 'npm' | 'turbo', args: readonly string[]) {
  progress(`${name}.`)
  const { ok, output } = await runInWorkspace(command, args)
  if (ok) return
  console.log(output)
  failures.push(`${name} failed.`)
}

async function findServers() {
  if (!tasks.includes('test:servers')) return undefined
  progress('Looking for Kafka and MongoDB.')
  return startServers({ log: progress, onProgress: progress.moves })
}

async function runTests(run: string) {
  const build = ['run', 'build', 'types', '--continue', '--output-logs=errors-only', ...turboArgs]
  const starting = findServers()
  const prepared = Promise.all([
    step('Lint', 'npm', ['run', '--silent', 'lint']),
    step('Build and types', 'turbo', build),
  ])
  const [begun] = await Promise.allSettled([starting, prepared])
  if (begun.status === 'rejected') throw begun.reason
  const servers = begun.value
  try {
    progress(servers ? `Tests, with Kafka (${servers.found.kafka}) and MongoDB (${servers.found.mongodb}).` : 'Tests.')
    const limits = [`--concurrency=${partsAtOnce}`, '--continue=always', '--output-logs=new-only']
    const { ok } = await runInWorkspace('turbo', ['run', ...tasks, ...limits, ...turboArgs, ...jestArgs], {
      shown: true,
      environment: {
        HERALD_TEST_RUN: run,
        HERALD_CACHE: cacheFolder(process.env),
        ...(servers && { KAFKA_BROKERS: servers.kafkaBrokers.join(','), MONGODB_URI: servers.mongodbUri }),
      },
    })
    return ok
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
