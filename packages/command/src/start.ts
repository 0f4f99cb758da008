import { startServers } from '@herald/test-servers/source'
import { createProgress } from '../bin/progress.mjs'
import { findPort, readPort } from './gateway-port.ts'
import { stopRequest } from './stop-request.ts'
import { runInWorkspace } from './workspace.ts'

const progress = createProgress()
/** In the order of the starts. The releasers of `@herald/runtime` do not exist before the build. */
const stops: (() => Promise<void>)[] = []

async function build() {
  const { ok, output } = await runInWorkspace('turbo', ['run', 'build', '--output-logs=errors-only'])
  if (!ok) throw new Error(`The build failed:\n${output}`)
  progress('Built.')
}

async function findServers() {
  const servers = await startServers({ log: progress, onProgress: progress.moves })
  stops.push(servers.stop)
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
  const demo = await startWithInstructions({
    servers: servers.value,
    port: await findPort(preferredPort),
    log: progress,
  })
  stops.push(demo.stop)
  return demo.herald
}

/** Resolves with an error message when a service exits. */
async function untilServiceEnds({ ingest, query, seal }: Awaited<ReturnType<typeof start>>): Promise<string> {
  const ends = [ingest, query, seal].map(async (service) => {
    const { code, signal } = await service.exited
    return `A service exited (${signal ?? `exit code ${code}`}):\n${service.logs().slice(-20).join('\n')}`
  })
  return Promise.race(ends)
}

async function watch({ ingest, query, seal }: Awaited<ReturnType<typeof start>>) {
  const { watchSources } = await import('./watch-sources.ts')
  const watching = watchSources({ services: { ingest, query, seal }, log: console.log })
  stops.push(watching.stop)
  return stopRequested
}

async function stopAll() {
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    await stop().catch((error) => {
      console.error(error)
      process.exitCode = 1
    })
  }
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
} catch (error) {
  progress.close()
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
await stopAll()
// An interrupted start may still be pending.
process.exit()
