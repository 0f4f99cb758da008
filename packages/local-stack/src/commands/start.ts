import { createProgress } from '../../bin/progress.mjs'
import { createReleasers } from '../releasers.ts'
import { startServers } from '../servers.ts'
import { findPort, readPort } from './gateway-port.ts'
import { stopRequest } from './stop-request.ts'
import { runInWorkspace } from './workspace.ts'

const progress = createProgress()
const releasers = createReleasers()

async function build() {
  const { ok, output } = await runInWorkspace('turbo', ['run', 'build', '--output-logs=errors-only'])
  if (!ok) throw new Error(`The build failed:\n${output}`)
  progress('Built.')
}

async function findServers() {
  const servers = await startServers({ log: progress, onProgress: progress.moves })
  releasers.add(servers.stop)
  progress(`Kafka (${servers.found.kafka}) and MongoDB (${servers.found.mongodb}) are running.`)
  return servers
}

async function start() {
  const preferredPort = readPort(process.env.PORT)
  progress('Building and looking for Kafka and MongoDB.')
  const [built, servers] = await Promise.allSettled([build(), findServers()])
  if (built.status === 'rejected') throw built.reason
  if (servers.status === 'rejected') throw servers.reason
  // Imported after the build, since it needs packages of the workspace.
  const { startWithInstructions } = await import('./start-with-instructions.ts')
  return startWithInstructions({
    servers: servers.value,
    port: await findPort(preferredPort),
    log: progress,
    releasers,
  })
}

/** Resolves with an error message when a service exits. */
async function untilServiceEnds({ ingest, query }: Awaited<ReturnType<typeof start>>): Promise<string> {
  const ends = [ingest, query].map(async (service) => {
    const { code, signal } = await service.exited
    return `A service exited (${signal ?? `exit code ${code}`}):\n${service.logs().slice(-20).join('\n')}`
  })
  return Promise.race(ends)
}

async function watch({ ingest, query }: Awaited<ReturnType<typeof start>>) {
  const { watchSources } = await import('./watch-sources.ts')
  const watching = watchSources({ services: { ingest, query }, log: console.log })
  releasers.add(watching.stop)
  return stopRequested
}

const isWatching = process.argv.includes('--watch')
const stopRequested = stopRequest()
try {
  const herald = await Promise.race([start(), stopRequested])
  if (herald) {
    const reason = await (isWatching ? watch(herald) : Promise.race([stopRequested, untilServiceEnds(herald)]))
    if (reason) {
      console.error(reason)
      process.exitCode = 1
    }
  }
  progress('Stopping.')
  await releasers.releaseAll()
} catch (error) {
  progress.close()
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
  await releasers.releaseAll()
}
// An interrupted start may still be pending.
process.exit()
