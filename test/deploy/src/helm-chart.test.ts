import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { stringify } from 'yaml'
import { run } from './commands.ts'
import { findHelm } from './helm.ts'
import { canRender, type Manifest, manifestsIn, render, root } from './overlays.ts'

const helm = await findHelm()
if (helm === undefined) console.warn('Skipped the tests of the Helm chart: neither helm nor go is on the PATH.')

const chart = join(root, 'deploy/helm/herald')
const folder = mkdtempSync(join(tmpdir(), 'herald-chart-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The least that an operator must set. */
const required = {
  image: { repository: 'registry.example/herald', tag: '0.1.0' },
  settings: {
    KAFKA_BROKERS: 'kafka-kafka-bootstrap.kafka:9093',
    AUTH_JWKS_URI: 'https://herald.example/.well-known/jwks.json',
    AUTH_ISSUER: 'https://herald.example/',
    AUTH_AUDIENCE: 'herald',
  },
}

/** The values that describe the same installation as overlays/production. */
const production = {
  ...required,
  settings: { ...required.settings, KAFKA_PRIVACY_TOPIC: 'privacy-events', RETENTION_DAYS: 365 },
  namespace: { create: true },
  networkPolicies: {
    mongodb: { to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] },
    keys: { to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] },
    kafka: {
      to: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kafka' } },
          podSelector: { matchLabels: { 'strimzi.io/cluster': 'kafka' } },
        },
      ],
    },
  },
  keda: { enabled: true },
  strimziTopics: { enabled: true },
  prometheus: { enabled: true, runbooks: 'https://herald.example/deploy/runbooks.md' },
  grafanaDashboard: { enabled: true },
  tracing: { enabled: true },
}

/** Without a cluster, a Helm that was built without its release flags assumes an old one. */
const kubeVersion = ['--kube-version', '1.30.0']

async function template(values: object): Promise<Manifest[]> {
  const file = join(folder, 'values.yaml')
  writeFileSync(file, stringify(values))
  const args = ['template', 'herald', chart, '--namespace', 'herald', '--values', file, ...kubeVersion]
  return manifestsIn((await run(helm as string, args)).stdout).filter(Boolean)
}

const rejection = (values: object) =>
  template(values).then(
    () => 'accepted',
    (error) => String(error.stderr),
  )

const find = (manifests: readonly Manifest[], kind: string, name: string) =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name)

/** By kind and name, without what the two tools do differently: the hash of the settings is a suffix or an annotation. */
function comparable(manifests: readonly Manifest[]): Record<string, Manifest> {
  const json = JSON.stringify(manifests).replaceAll(/herald-settings-[a-z0-9]{10}/g, 'herald-settings')
  return Object.fromEntries(
    (JSON.parse(json) as Manifest[]).map((manifest) => {
      const { annotations } = manifest.spec?.template?.metadata ?? {}
      if (annotations) delete annotations['checksum/settings']
      if (annotations && Object.keys(annotations).length === 0) delete manifest.spec.template.metadata.annotations
      const { annotations: runbooks } = manifest.metadata
      if (runbooks?.runbooks) delete manifest.metadata.annotations
      return [`${manifest.kind} ${manifest.metadata.namespace ?? ''}/${manifest.metadata.name}`, manifest]
    }),
  )
}

const withHelm = helm === undefined ? describe.skip : describe
withHelm('the Helm chart', () => {
  const comparing = canRender ? test : test.skip
  comparing('renders the same objects as overlays/production', async () => {
    const overlay = comparable(manifestsIn(await render('production')))
    const rendered = comparable(await template(production))
    expect(Object.keys(rendered).sort()).toEqual(Object.keys(overlay).sort())
    expect(Object.keys(rendered).length).toBeGreaterThan(30)
    for (const [name, manifest] of Object.entries(overlay)) expect(rendered[name]).toEqual(manifest)
  })

  test('passes helm lint', async () => {
    const file = join(folder, 'lint.yaml')
    writeFileSync(file, stringify(production))
    await run(helm as string, ['lint', '--strict', chart, '--values', file])
  })

  test('needs no operator of another project by default', async () => {
    const manifests = await template(required)
    const groups = new Set(manifests.map(({ apiVersion }) => apiVersion.split('/')[0]))
    expect([...groups].sort()).toEqual(
      ['apps', 'autoscaling', 'batch', 'gateway.networking.k8s.io', 'networking.k8s.io', 'policy', 'v1'].sort(),
    )
    expect(find(manifests, 'Deployment', 'herald-ingest').spec.replicas).toBe(2)
  })

  test('rolls the services out when a setting changes', async () => {
    const checksums = async (values: typeof required) => {
      const manifests = await template(values)
      return ['herald-ingest', 'herald-query'].map(
        (name) => find(manifests, 'Deployment', name).spec.template.metadata.annotations['checksum/settings'],
      )
    }
    const before = await checksums(required)
    const settings = { ...required.settings, LOG_LEVEL: 'debug' }
    const after = await checksums({ ...required, settings })
    expect(before[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(after[0]).not.toBe(before[0])
    expect(after[1]).not.toBe(before[1])
  })

  test('prefers digests to the tag, and names the migrate Job after the tag', async () => {
    const digest = `sha256:${'ab'.repeat(32)}`
    const image = { ...required.image, tag: 'v1.2.3', ingestDigest: digest }
    const manifests = await template({ ...required, image })
    const imageOf = (name: string) => find(manifests, 'Deployment', name).spec.template.spec.containers[0].image
    expect(imageOf('herald-ingest')).toBe(`registry.example/herald/ingest@${digest}`)
    expect(imageOf('herald-query')).toBe('registry.example/herald/query:v1.2.3')
    expect(find(manifests, 'Job', 'herald-migrate-v1-2-3')).toBeDefined()
  })

  test('connects without TLS if kafka.tls is false', async () => {
    const manifests = await template({ ...required, kafka: { tls: false } })
    const { spec } = find(manifests, 'Deployment', 'herald-ingest').spec.template
    expect(spec.volumes).toBeUndefined()
    expect(find(manifests, 'ConfigMap', 'herald-settings').data.KAFKA_SSL).toBeUndefined()
  })

  test.each([
    ['no values', {}, 'image'],
    ['no tag', { ...required, image: { repository: 'registry.example/herald' } }, 'tag'],
    ['a misspelt name', { ...required, replicas: 3 }, 'replicas'],
    [
      'a setting that belongs in a Secret',
      { ...required, settings: { ...required.settings, MONGODB_URI: 'x' } },
      'MONGODB_URI',
    ],
    ['two sources of keys', { ...required, settings: { ...required.settings, AUTH_PUBLIC_KEY: 'x' } }, 'settings'],
    [
      'a broker without a port',
      { ...required, settings: { ...required.settings, KAFKA_BROKERS: 'kafka' } },
      'KAFKA_BROKERS',
    ],
  ])('rejects %s', async (_, values, named) => {
    const message = await rejection(values)
    expect(message).toContain("values don't meet the specifications of the schema")
    expect(message).toContain(named)
  })
})
