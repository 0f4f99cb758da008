import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { run } from './commands.ts'
import { root } from './overlays.ts'

export const chart = join(root, 'deploy/helm/herald')

const address = { to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }

/** The least that an operator must set. */
export const required = {
  image: { repository: 'registry.example/herald', tag: '0.1.0' },
  settings: {
    KAFKA_BROKERS: 'kafka-kafka-bootstrap.kafka:9093',
    AUTH_JWKS_URI: 'https://herald.example/.well-known/jwks.json',
    AUTH_ISSUER: 'https://herald.example/',
    AUTH_AUDIENCE: 'herald',
  },
  networkPolicies: {
    mongodb: address,
    keys: address,
    kafka: {
      to: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kafka' } },
          podSelector: { matchLabels: { 'strimzi.io/cluster': 'kafka' } },
        },
      ],
    },
  },
}

/** The values that describe the same installation as overlays/production, with every optional part. */
export const production = {
  ...required,
  settings: {
    ...required.settings,
    KAFKA_PRIVACY_TOPIC: 'privacy-events',
    RETENTION_DAYS: 365,
    LOG_ORIGIN: 'log.herald.example/herald',
    KAFKA_CHECKPOINT_TOPIC: 'log-checkpoints',
  },
  secrets: {
    logSigning: 'herald-log-signing',
    mongodbUsers: Object.fromEntries(
      ['ingest', 'query', 'seal', 'migrate'].map((name) => [name, `herald-mongodb-${name}`]),
    ),
  },
  seal: { witnessPolicy: readFileSync(join(root, 'deploy/kustomize/overlays/production/witness-policy'), 'utf8') },
  networkPolicies: { ...required.networkPolicies, witnesses: address },
  keda: { enabled: true },
  strimziTopics: { enabled: true },
  prometheus: { enabled: true, runbooks: 'https://herald.example/deploy/runbooks.md' },
  grafanaDashboard: { enabled: true },
  tracing: { enabled: true },
}

/** Without a cluster, a Helm that was built without its release flags assumes an old one. */
const kubeVersion = ['--kube-version', '1.30.0']

/** Renders the chart, as the release `herald` in a namespace of that name. */
export async function templateChart(helm: string, folder: string, values: object): Promise<string> {
  const args = ['template', 'herald', chart, '--namespace', 'herald', '--values', valuesFile(folder, values)]
  return (await run(helm, [...args, ...kubeVersion])).stdout
}

export function valuesFile(folder: string, values: object): string {
  const file = join(folder, `${randomUUID()}.yaml`)
  writeFileSync(file, stringify(values))
  return file
}
