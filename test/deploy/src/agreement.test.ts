import { readFileSync } from 'node:fs'
import { nodeArguments } from '@herald/local-herald'
import { checkpointTopic, defaultTopics } from '@herald/test-servers'
import { describe, expect, test } from '@jest/globals'
import { parse, parseAllDocuments } from 'yaml'
import { canRender, type Manifest, manifestsIn, overlays, render, root, workloads } from './overlays.ts'

const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')
const compose = parse(read('docker-compose.yml'), { merge: true })
const topics: Manifest[] = parseAllDocuments(read('deploy/kustomize/components/strimzi-topics/topics.yaml')).map(
  (document) => document.toJS(),
)
const scaledObject = parse(read('deploy/kustomize/components/keda/scaled-object.yaml'), { merge: true })
const settingsOf = (service: string) =>
  [...read('deploy/settings.md').matchAll(/^- `([A-Z_]+)` \((.+?)\)/gm)].flatMap(([, name = '', processes]) =>
    processes?.split(', ').includes(service) ? [name] : [],
  )

/** The topics with fixed names that a shell command creates, with their maximum record sizes. */
const createdBy = (command: string[]) =>
  [...String(command.at(-1)).matchAll(/^create ([\w-]+) (\d+)$/gm)].map(([, name, size]) => [name, size])

describe('topics', () => {
  const names = Object.values(defaultTopics).sort()
  const inCompose = createdBy(compose.services.topics.command)

  test('docker-compose.yml and Strimzi create the topics that Herald reads and writes', () => {
    expect(inCompose.map(([name]) => name).sort()).toEqual(names)
    expect(topics.map(({ metadata }) => metadata.name).sort()).toEqual([...names, checkpointTopic].sort())
  })

  test('the topics of Kustomize and Helm have a version that Strimzi serves', () => {
    const { spec } = parse(read('test/deploy/crds/kafka-topic.yaml')) as Manifest
    const served = spec.versions.filter((version: { served: boolean }) => version.served)
    const versions = served.map(({ name }: { name: string }) => `${spec.group}/${name}`)
    for (const { apiVersion } of topics) expect(versions).toContain(apiVersion)
    const chart = read('deploy/helm/herald/templates/strimzi-topics.yaml').match(/(?<=^apiVersion: ).+$/gm) ?? []
    expect(chart.length).toBeGreaterThan(2)
    for (const apiVersion of chart) expect(versions).toContain(apiVersion)
  })

  test('both keep every record of the topic of checkpoints, and of no other', () => {
    const kept = topics.filter(({ spec }) => spec.config['retention.ms'] === -1)
    expect(kept.map(({ metadata }) => metadata.name)).toEqual([checkpointTopic])
    expect(kept.map(({ spec }) => spec.config['cleanup.policy'])).toEqual(['delete'])
    const commands = String(compose.services.topics.command.at(-1))
    const [, name] = /^.*create "\$\$(\w+)" \d+ cleanup\.policy=delete retention\.ms=-1; fi$/m.exec(commands) ?? []
    expect(name).toBe('KAFKA_CHECKPOINT_TOPIC')
    expect(`${commands}${JSON.stringify(topics)}`).not.toContain('compact')
  })

  test('both set the same sizes, and a dead letter has room for the largest record plus 64 KiB', () => {
    const sizes = topics
      .filter(({ metadata }) => metadata.name !== checkpointTopic)
      .map(({ metadata, spec }) => [metadata.name, spec.config['max.message.bytes']])
    expect(Object.fromEntries(inCompose.map(([name, size]) => [name, Number(size)]))).toEqual(Object.fromEntries(sizes))
    const { 'herald-dead-letter': deadLetter, ...origins } = Object.fromEntries(sizes)
    for (const size of Object.values(origins)) expect(deadLetter).toBeGreaterThanOrEqual(Number(size) + 64 * 1024)
  })

  test('KEDA observes every consumed topic and never requests more readers than partitions', () => {
    const { triggers, maxReplicaCount } = scaledObject.spec
    expect(triggers.map(({ metadata }: Manifest) => metadata.topic).sort()).toEqual(
      names.filter((name) => name !== defaultTopics.deadLetter),
    )
    const read = topics.filter(({ metadata }) => ![defaultTopics.deadLetter, checkpointTopic].includes(metadata.name))
    expect(maxReplicaCount).toBe(Math.max(...read.map(({ spec }) => spec.partitions)))
  })
})

test.each(['ingest', 'query'] as const)(
  'the image of %s starts Node.js with the same arguments as local-herald',
  (service) => {
    const [, stage] = read('deploy/Dockerfile').split(`FROM service AS ${service}\n`)
    const command = JSON.parse(/^CMD (.*)$/m.exec(stage ?? '')?.[1] ?? '')
    expect(command).toEqual(['node', ...nodeArguments[service], `services/${service}/dist/main.js`])
  },
)

test('overlays/local has the topics and images of docker-compose.yml', () => {
  const local = ['kafka', 'mongodb', 'gateway'].flatMap((name) =>
    parseAllDocuments(read(`deploy/kustomize/overlays/local/${name}.yaml`)).map((document) => document.toJS()),
  )
  const containers: Manifest[] = local.flatMap(({ spec }) => spec.template?.spec.containers ?? [])
  expect(containers.map(({ name }) => name).sort()).toEqual(['gateway', 'kafka', 'mongodb', 'topics'])
  for (const { name, image, args, command } of containers) {
    expect([name, image]).toEqual([name, compose.services[name].image])
    if (name === 'mongodb') expect(args).toEqual(compose.services.mongodb.command)
    if (name === 'topics') expect(createdBy(command)).toEqual(createdBy(compose.services.topics.command))
  }
})

describe('docker-compose.yml', () => {
  const services: [string, Manifest][] = Object.entries(compose.services)

  test('publishes ports on the loopback address only', () => {
    const ports = services.flatMap(([, { ports = [] }]) => ports)
    expect(ports.length).toBeGreaterThan(0)
    expect(ports.filter((port: string) => !port.startsWith('127.0.0.1:'))).toEqual([])
  })

  test('has a version in each image reference', () => {
    const withVersion = /:(?!latest\b)[\w.-]+(@sha256:[0-9a-f]{64})?$/
    expect(services.filter(([, { image }]) => !withVersion.test(image)).map(([name]) => name)).toEqual([])
  })

  test('never pulls locally built images', () => {
    const pulled = services.filter(([, { build, pull_policy }]) => build && pull_policy !== 'never')
    expect(pulled.map(([name]) => name)).toEqual([])
  })

  test('runs every service read-only, without capabilities or new privileges, and with a memory limit', () => {
    const hardened = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }
    for (const [name, service] of services) {
      expect({ name, ...service }).toMatchObject({ name, ...hardened, mem_limit: expect.stringMatching(/^\d+[mg]$/) })
    }
  })

  test('gives Grafana no password and disables sign-in', () => {
    expect(compose.services.grafana.environment).toMatchObject({
      GF_AUTH_BASIC_ENABLED: 'false',
      GF_AUTH_DISABLE_LOGIN_FORM: 'true',
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: 'true',
    })
  })

  test('gives each service a restart policy, and long-running ones a health check', () => {
    expect(services.filter(([, { restart }]) => !restart).map(([name]) => name)).toEqual([])
    const unchecked = services.filter(
      ([, { restart, healthcheck, profiles }]) => restart === 'unless-stopped' && !healthcheck && !profiles,
    )
    expect(unchecked.map(([name]) => name)).toEqual([])
  })

  const forTokens = ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URI']
  test.each([
    ['ingest', ['MONGODB_URI', ...forTokens]],
    ['query', ['MONGODB_URI', ...forTokens]],
    ['seal', ['MONGODB_URI']],
  ])('sets all required and no unknown settings of %s', (name, required) => {
    const set = Object.keys(compose.services[name].environment)
    expect(set.filter((variable) => !settingsOf(name).includes(variable))).toEqual([])
    expect(set).toEqual(expect.arrayContaining(required))
  })

  test('gives the keys that sign the log to seal only, and contains none', () => {
    const withKeys = services.flatMap(([name, { environment = {} }]) =>
      Object.entries(environment)
        .filter(([variable]) => /^LOG_SIGNING_KEY/.test(variable))
        .map(([variable, value]) => [name, value, `\${${variable}:-}`]),
    )
    expect(withKeys.map(([name]) => name)).toEqual(['seal', 'seal'])
    for (const [, value, fromShell] of withKeys) expect(value).toBe(fromShell)
  })
})

describe.each(overlays)('overlay %s', (overlay) => {
  const rule = canRender ? test : test.skip

  rule('sets no unknown settings', async () => {
    const manifests = manifestsIn(await render(overlay))
    const known = new Set(['ingest', 'query', 'seal'].flatMap(settingsOf))
    const settings = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && /settings/.test(metadata.name))
    const names = [
      ...Object.keys(settings.data),
      ...workloads(manifests)
        .filter(({ isHerald }) => isHerald)
        .flatMap(({ containers }) => containers.flatMap(({ env = [] }) => env.map(({ name }: Manifest) => name))),
    ]
    // NODE_EXTRA_CA_CERTS is a setting of Node.js.
    const unknown = names.filter((name) => !known.has(name) && name !== 'NODE_EXTRA_CA_CERTS')
    expect(unknown).toEqual([])
    expect(names).toEqual(expect.arrayContaining(['MONGODB_URI', 'KAFKA_BROKERS', 'AUTH_ISSUER', 'AUTH_AUDIENCE']))
  })

  rule('Herald, KEDA and the network policies agree on brokers and TLS', async () => {
    const manifests = manifestsIn(await render(overlay))
    const named = (kind: string, name: RegExp) =>
      manifests.find((manifest) => manifest.kind === kind && name.test(manifest.metadata.name))
    const { KAFKA_BROKERS: brokers, KAFKA_SSL: tls = 'false' } = named('ConfigMap', /settings/).data
    const triggers = named('ScaledObject', /ingest/)?.spec.triggers ?? []
    for (const { metadata, authenticationRef } of triggers) {
      expect([metadata.bootstrapServers, metadata.tls ?? 'disable']).toEqual([
        brokers,
        tls === 'true' ? 'enable' : 'disable',
      ])
      expect(named('TriggerAuthentication', new RegExp(`^${authenticationRef.name}$`))).toBeDefined()
    }
    expect(triggers).toHaveLength(overlay === 'production' ? 4 : 0)
    const [{ ports }] = named('NetworkPolicy', /^kafka$/).spec.egress
    const port = Number(brokers.split(':').at(-1))
    expect(port).toBeGreaterThanOrEqual(ports[0].port)
    expect(port).toBeLessThanOrEqual(ports[0].endPort ?? ports[0].port)
  })

  rule('the issuer’s keys are fetched from the issuer’s own origin, which serves them', async () => {
    const manifests = manifestsIn(await render(overlay))
    const { data } = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && /settings/.test(metadata.name))
    const keys = new URL(data.AUTH_JWKS_URI)
    expect(keys.origin).toBe(new URL(data.AUTH_ISSUER).origin)
    if (overlay === 'production') expect(keys.protocol).toBe('https:')
    else {
      const { spec } = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === keys.hostname)
      expect([keys.protocol, spec.ports[0].port]).toEqual(['http:', Number(keys.port)])
    }
  })

  rule('a release has a migrate Job with its own name and the image of ingest', async () => {
    const running = workloads(manifestsIn(await render(overlay)))
    const [ingest, migrate] = ['Deployment herald-ingest', 'Job herald-migrate'].map((start) =>
      running.find(({ what }) => what.startsWith(start)),
    )
    expect(migrate?.containers[0].image).toBe(ingest?.containers[0].image)
    const tag = String(ingest?.containers[0].image).split(':')[1] ?? ''
    expect(migrate?.what).toBe(`Job herald-migrate${overlay === 'local' ? '' : `-${tag.replaceAll('.', '-')}`}`)
  })
})

const rendering = canRender ? test : test.skip
rendering(
  'in production, kube-prometheus-stack selects monitors and rules, and alerts link to the runbooks',
  async () => {
    const manifests = manifestsIn(await render('production'))
    const monitoring = manifests.filter(({ apiVersion }) => apiVersion.startsWith('monitoring.coreos.com/'))
    expect(monitoring.map(({ kind }) => kind).sort()).toEqual(['PrometheusRule', 'ServiceMonitor'])
    for (const { metadata } of monitoring) expect(metadata.labels.release).toBe('kube-prometheus-stack')
    const rules: Manifest[] = monitoring.flatMap(({ spec }) => spec.groups ?? []).flatMap(({ rules }) => rules)
    expect(rules.length).toBeGreaterThan(5)
    for (const { annotations } of rules)
      expect(annotations.runbook_url).toMatch(/^https:\/\/herald\.example\/deploy\/runbooks\.md#[a-z-]+$/)
  },
)
