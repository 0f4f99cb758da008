import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { chart, production, required, templateChart, valuesFile } from './chart.ts'
import { run } from './commands.ts'
import { findHelm, whyNoHelm } from './helm.ts'
import { canRender, type Manifest, manifestsIn, render } from './overlays.ts'

const helm = await findHelm()
if (helm === undefined) console.warn(`Skipped the tests of the Helm chart: ${whyNoHelm}.`)

const folder = mkdtempSync(join(tmpdir(), 'herald-chart-'))
afterAll(() => rmSync(folder, { recursive: true }))

const template = async (values: object): Promise<Manifest[]> =>
  manifestsIn(await templateChart(helm as string, folder, values)).filter(Boolean)

const rejection = (values: object) =>
  template(values).then(
    () => 'accepted',
    (error) => String(error.stderr),
  )

const find = (manifests: readonly Manifest[], kind: string, name: string) =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name)

/**
 * By kind and name, without what the two tools do differently: the hash of a ConfigMap is a suffix or an annotation, the name of
 * the migrate Job ends with another hash, and Helm is told to keep topics.
 */
function comparable(manifests: readonly Manifest[]): Record<string, Manifest> {
  const json = JSON.stringify(manifests)
    .replaceAll(/herald-(settings|witnesses)-[a-z0-9]{10}/g, 'herald-$1')
    .replaceAll(/(herald-migrate-0-1-0)-[0-9a-f]{8}/g, '$1')
  return Object.fromEntries(
    (JSON.parse(json) as Manifest[]).map((manifest) => {
      const { annotations } = manifest.spec?.template?.metadata ?? {}
      for (const name of ['settings', 'witnesses']) delete annotations?.[`checksum/${name}`]
      if (annotations && Object.keys(annotations).length === 0) delete manifest.spec.template.metadata.annotations
      const { annotations: own } = manifest.metadata
      if (own?.runbooks ?? own?.['helm.sh/resource-policy']) delete manifest.metadata.annotations
      return [`${manifest.kind} ${manifest.metadata.namespace ?? ''}/${manifest.metadata.name}`, manifest]
    }),
  )
}

const withHelm = helm === undefined ? describe.skip : describe
withHelm('the Helm chart', () => {
  const comparing = canRender ? test : test.skip
  comparing('renders the same objects as overlays/production', async () => {
    const overlay = comparable(manifestsIn(await render('production')))
    const rendered = comparable(await template({ ...production, namespace: { create: true } }))
    expect(Object.keys(rendered).sort()).toEqual(Object.keys(overlay).sort())
    expect(Object.keys(rendered).length).toBeGreaterThan(30)
    for (const [name, manifest] of Object.entries(overlay)) expect(rendered[name]).toEqual(manifest)
  })

  test('passes helm lint', async () => {
    await run(helm as string, ['lint', '--strict', chart, '--values', valuesFile(folder, production)])
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

  test('prefers digests to the tag', async () => {
    const digest = `sha256:${'ab'.repeat(32)}`
    const image = { ...required.image, tag: 'v1.2.3', ingestDigest: digest }
    const manifests = await template({ ...required, image })
    const imageOf = (name: string) => find(manifests, 'Deployment', name).spec.template.spec.containers[0].image
    expect(imageOf('herald-ingest')).toBe(`registry.example/herald/ingest@${digest}`)
    expect(imageOf('herald-query')).toBe('registry.example/herald/query:v1.2.3')
  })

  test('gives the migrate Job another name whenever its spec or a setting changes, and a valid one for each tag', async () => {
    const nameOf = async (values: object) =>
      (await template(values)).find(({ kind }) => kind === 'Job').metadata.name as string
    const changes = [
      {},
      { image: { ...required.image, tag: 'V1_2.3-' } },
      { image: { ...required.image, tag: `v${'1.'.repeat(50)}` } },
      { image: { ...required.image, ingestDigest: `sha256:${'ab'.repeat(32)}` } },
      { settings: { ...required.settings, RETENTION_DAYS: 30 } },
      { secrets: { mongodb: 'other' } },
    ]
    const names = await Promise.all(changes.map((change) => nameOf({ ...required, ...change })))
    expect(new Set(names).size).toBe(changes.length)
    // The pods of a Job carry its name as a label.
    for (const name of names)
      expect(name).toMatch(/^(?=.{1,63}$)herald-migrate-[0-9a-z]([-0-9a-z]*[0-9a-z])?-[0-9a-f]{8}$/)
    expect(await nameOf(required)).toBe(names[0])
  })

  test('writes numbers in settings as they are', async () => {
    const settings = { ...required.settings, RETENTION_DAYS: 365, FRACTION: 0.25, BYTES: 10_485_760 }
    const { data } = find(await template({ ...required, settings }), 'ConfigMap', 'herald-settings')
    expect(data).toMatchObject({ RETENTION_DAYS: '365', FRACTION: '0.25', BYTES: '10485760' })
  })

  test('KEDA observes the topic of erasures only if Herald reads it', async () => {
    const topicsOf = async (settings: object) =>
      find(
        await template({ ...required, keda: { enabled: true }, settings }),
        'ScaledObject',
        'herald-ingest',
      ).spec.triggers.map(({ metadata }: Manifest) => metadata.topic)
    const origins = ['mention-events', 'change-events', 'receipt-events']
    expect(await topicsOf(required.settings)).toEqual(origins)
    expect(await topicsOf({ ...required.settings, KAFKA_PRIVACY_TOPIC: 'privacy' })).toEqual([...origins, 'privacy'])
  })

  test('connects without TLS if kafka.tls is false', async () => {
    const manifests = await template({ ...required, kafka: { tls: false } })
    const { spec } = find(manifests, 'Deployment', 'herald-ingest').spec.template
    expect(spec.volumes).toBeUndefined()
    expect(find(manifests, 'ConfigMap', 'herald-settings').data.KAFKA_SSL).toBeUndefined()
  })

  test('seals the log only with the Secret of a key, and connects seal to Kafka only for the topic of checkpoints', async () => {
    const { LOG_ORIGIN, KAFKA_CHECKPOINT_TOPIC } = production.settings
    const { secrets } = production
    const sealOf = async (values: object) => {
      const manifests = await template({ ...required, ...values })
      const { containers, volumes } = find(manifests, 'Deployment', 'herald-seal').spec.template.spec
      const { podSelector } = find(manifests, 'NetworkPolicy', 'kafka').spec
      const env = (containers[0].env as Manifest[]).map(({ name }) => name)
      return { env, hasCa: volumes !== undefined, mayReachKafka: JSON.stringify(podSelector).includes('herald-seal') }
    }
    const keys = ['LOG_SIGNING_KEY', 'LOG_SIGNING_KEY_PREVIOUS']
    const password = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD']
    expect(await sealOf({})).toEqual({ env: ['MONGODB_URI'], hasCa: false, mayReachKafka: false })
    const settings = { ...required.settings, LOG_ORIGIN }
    expect(await sealOf({ settings, secrets })).toEqual({
      env: ['MONGODB_URI', ...keys],
      hasCa: false,
      mayReachKafka: false,
    })
    expect(await sealOf({ settings: { ...settings, KAFKA_CHECKPOINT_TOPIC }, secrets })).toEqual({
      env: ['NODE_EXTRA_CA_CERTS', 'MONGODB_URI', ...password, ...keys],
      hasCa: true,
      mayReachKafka: true,
    })
  })

  test('gives seal the policy of the witnesses, and the way to them', async () => {
    const sealOf = async (witnessPolicy: string | null) => {
      const { settings, secrets } = production
      const manifests = await template({ ...production, settings, secrets, seal: { witnessPolicy } })
      const { metadata, spec } = find(manifests, 'Deployment', 'herald-seal').spec.template
      const [{ env, volumeMounts }] = spec.containers as [Manifest]
      return {
        file: env.find(({ name }: Manifest) => name === 'LOG_WITNESS_POLICY')?.value,
        mounts: volumeMounts.map(({ mountPath }: Manifest) => mountPath),
        policy: find(manifests, 'ConfigMap', 'herald-witnesses')?.data.policy,
        egress: find(manifests, 'NetworkPolicy', 'witnesses')?.spec.egress[0].ports[0].port,
        checksum: metadata.annotations['checksum/witnesses'],
      }
    }
    const without = { file: undefined, mounts: ['/etc/herald/kafka'], policy: undefined, egress: undefined }
    expect(await sealOf(null)).toEqual({ ...without, checksum: undefined })
    const policy = 'witness a a.example+1a2b3c4d+BA== https://a.example\n# “Ä”: 1\nquorum a\n'
    const mounts = ['/etc/herald/kafka', '/etc/herald/witnesses']
    const file = '/etc/herald/witnesses/policy'
    const first = await sealOf(policy)
    expect(first).toEqual({ file, mounts, policy, egress: 443, checksum: expect.any(String) })
    expect((await sealOf('quorum none')).checksum).not.toBe(first.checksum)
  })

  test.each([
    ['no values', {}, 'image'],
    ['no address of Kafka', { ...required, networkPolicies: { ...required.networkPolicies, kafka: {} } }, 'kafka'],
    ['no tag', { ...required, image: { repository: 'registry.example/herald' } }, 'tag'],
    ['a misspelt name', { ...required, replicas: 3 }, 'replicas'],
    [
      'a setting that belongs in a Secret',
      { ...required, settings: { ...required.settings, MONGODB_URI: 'x' } },
      'MONGODB_URI',
    ],
    ['two sources of keys', { ...required, settings: { ...required.settings, AUTH_PUBLIC_KEY: 'x' } }, 'settings'],
    [
      'a signing key outside of a Secret',
      { ...production, settings: { ...production.settings, LOG_SIGNING_KEY: 'x' } },
      'LOG_SIGNING_KEY',
    ],
    ['a signing key without an origin', { ...required, secrets: production.secrets }, 'LOG_ORIGIN'],
    ['an origin without a signing key', { ...production, secrets: {} }, 'logSigning'],
    ['witnesses without a signing key', { ...production, secrets: {}, settings: required.settings }, 'logSigning'],
    ['witnesses without their addresses', { ...production, networkPolicies: required.networkPolicies }, 'witnesses'],
    ['a policy without a quorum', { ...production, seal: { witnessPolicy: 'witness a' } }, 'witnessPolicy'],
    [
      'a file with a policy that is not mounted',
      { ...production, settings: { ...production.settings, LOG_WITNESS_POLICY: '/x' } },
      'LOG_WITNESS_POLICY',
    ],
    [
      'a topic of checkpoints without a signing key',
      { ...required, settings: { ...required.settings, KAFKA_CHECKPOINT_TOPIC: 'log-checkpoints' } },
      'logSigning',
    ],
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

  test.each([
    ['query', { minReplicas: 3, maxReplicas: 2 }],
    ['keda', { enabled: true, minReplicas: 3, maxReplicas: 2 }],
  ])('rejects fewer replicas at most than at least of %s', async (part, replicas) => {
    expect(await rejection({ ...required, [part]: replicas })).toContain(
      `${part}.minReplicas must not be greater than ${part}.maxReplicas`,
    )
  })
})
