import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { composeServices } from './compose-file.ts'
import { docker, dockerToEnd, type Ended } from './docker.ts'
import { haveImage } from './images.ts'

export const notificationTopic = 'notification-events'
/** The label of the containers that `run` starts. */
const label = 'herald.test'

/** docker-compose.yml under a unique project name and on free ports, separate from the user's own. */
export async function createComposition() {
  const project = `herald-test-${randomBytes(4).toString('hex')}`
  const [gateway, issuer, kafka, mongodb, prometheus, grafana] = await freePorts(6)
  const environment = {
    HERALD_PORT: String(gateway),
    TOKEN_ISSUER_PORT: String(issuer),
    KAFKA_PORT: String(kafka),
    MONGODB_PORT: String(mongodb),
    PROMETHEUS_PORT: String(prometheus),
    GRAFANA_PORT: String(grafana),
    RATE_LIMIT_PER_MINUTE: '1000000',
    KAFKA_NOTIFICATION_TOPIC: notificationTopic,
    // The change log is sealed, and its checkpoints are published.
    LOG_SIGNING_KEY: generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    LOG_ORIGIN: 'localhost/herald',
    SEAL_INTERVAL_SECONDS: '5',
    KAFKA_CHECKPOINT_TOPIC: 'log-checkpoints',
    ANNOUNCE_UNREAD_AFTER_MINUTES: '1',
  }
  let grafanaFound: Promise<boolean> | undefined
  /** Grafana is in no package of Debian, so there is no stand-in for it. */
  const hasGrafana = () => {
    grafanaFound ??= haveImage('grafana').then((found) => {
      if (!found) console.warn('Started without Grafana, whose image is unavailable.')
      return found !== undefined
    })
    return grafanaFound
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
    /** Starts all services, including those of observability, and waits until they are healthy. */
    async up() {
      const others = (await hasGrafana()) ? [] : [...composeServices().keys()].filter((name) => name !== 'grafana')
      const wait = ['--detach', '--no-build', '--wait', '--wait-timeout', '550']
      return compose('--profile', 'observability', 'up', ...wait, ...others)
    },
    /** Runs a container to its end, by default on the network of the services, as restricted as they are. */
    run(image: string, options: readonly string[], words: readonly string[] = []): Promise<Ended> {
      const hardened = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true']
      const network = options.includes('--network') ? [] : ['--network', `${project}_default`]
      const labelled = ['--label', `${label}=${project}`]
      return dockerToEnd(['run', '--rm', ...labelled, ...hardened, ...network, ...options, image, ...words])
    },
    containerOf: async (service: string) => (await compose('ps', '--all', '--quiet', service)).trim(),
    async down() {
      const left = await docker(['ps', '--all', '--quiet', '--filter', `label=${label}=${project}`])
      if (left) await docker(['rm', '--force', ...left.trim().split('\n')])
      return compose('--profile', '*', 'down', '--volumes', '--timeout', '30')
    },
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
