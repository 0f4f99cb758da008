import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { docker } from './docker.ts'

/** docker-compose.yml under a unique project name and on free ports, separate from the user's own. */
export async function createComposition() {
  const project = `herald-test-${randomBytes(4).toString('hex')}`
  const [gateway, issuer, kafka, mongodb, prometheus] = await freePorts(5)
  const environment = {
    HERALD_PORT: String(gateway),
    TOKEN_ISSUER_PORT: String(issuer),
    KAFKA_PORT: String(kafka),
    MONGODB_PORT: String(mongodb),
    PROMETHEUS_PORT: String(prometheus),
    RATE_LIMIT_PER_MINUTE: '1000000',
  }
  const compose = (...args: string[]) => docker(['compose', '--project-name', project, ...args], environment)

  return {
    project,
    compose,
    baseUrl: `http://127.0.0.1:${gateway}`,
    tokenIssuer: `http://127.0.0.1:${issuer}`,
    brokers: [`localhost:${kafka}`],
    mongodbUri: `mongodb://127.0.0.1:${mongodb}/?directConnection=true`,
    prometheusUrl: `http://127.0.0.1:${prometheus}`,
    build: () => compose('build'),
    /** Starts all services and waits until they are healthy. */
    up: () => compose('up', '--detach', '--no-build', '--wait', '--wait-timeout', '550'),
    containerOf: async (service: string) => (await compose('ps', '--all', '--quiet', service)).trim(),
    down: () => compose('--profile', '*', 'down', '--volumes', '--timeout', '30'),
  }
}

export type Composition = Awaited<ReturnType<typeof createComposition>>

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
