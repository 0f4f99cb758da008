import { type StartedService, startGateway, startService } from '@herald/local-herald'
import { createReleasers } from '@herald/runtime'
import { startTcpProxy } from '../stack/tcp-proxy.ts'
import type { Campaign } from './campaign.ts'

/** A query service behind a gateway, which is replaced while its clients stay. */
export type RollingQuery = {
  /** The URL of the gateway. */
  url: string
  /** The process that serves now. */
  current(): StartedService
  /** Starts the service of this build, or of the entry point of another one, and then sends SIGTERM to the former. */
  roll(file?: string): Promise<void>
  stop(): Promise<void>
}

const exitWithinMs = 25_000

export async function startRollingQuery({ fleet, violations }: Campaign): Promise<RollingQuery> {
  const releasers = createReleasers({ info() {}, error() {} })
  const start = async (file?: string) => {
    const service = await startService('query', fleet.settings, file === undefined ? {} : { file })
    releasers.add('query', service.stop)
    return service
  }
  try {
    let current = await start()
    // As with a service of Kubernetes: new connections reach the new process, and the others end with the old one.
    const front = await startTcpProxy({ targetPort: () => Number(new URL(current.url).port) })
    releasers.add('front', front.stop)
    const queryUrl = `http://127.0.0.1:${front.port}`
    // Its clients only read.
    const gateway = await startGateway({ ingestUrl: queryUrl, queryUrl })
    releasers.add('gateway', gateway.stop)
    return {
      url: gateway.url,
      current: () => current,
      async roll(file) {
        const old = current
        current = await start(file)
        const startedAt = Date.now()
        old.kill('SIGTERM')
        const { code } = await old.exited
        const ms = Date.now() - startedAt
        if (code === 0 && ms <= exitWithinMs) return
        violations.add('exit', `query exited with code ${code} after ${ms} ms`)
      },
      stop: releasers.releaseAll,
    }
  } catch (error) {
    await releasers.releaseAll()
    throw error
  }
}
