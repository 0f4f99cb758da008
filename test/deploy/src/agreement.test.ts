import { readFileSync } from 'node:fs'
import { defaultTopics, nodeArguments } from '@herald/local-stack'
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
  [...(read('README.md').split(`<!-- settings of ${service} -->`)[1] ?? '').matchAll(/^\| `([A-Z_]+)`/gm)].map(
    ([, name]) => name as string,
  )

describe('topics', () => {
  const names = Object.values(defaultTopics).sort()
  const inCompose = [...String(compose.services.topics.command.at(-1)).matchAll(/^create ([\w-]+) (\d+)$/gm)]

  test('docker-compose.yml and Strimzi make those that Herald reads and writes', () => {
    expect(inCompose.map(([, name]) => name).sort()).toEqual(names)
    expect(topics.map(({ metadata }) => metadata.name).sort()).toEqual(names)
  })

  test('both give them the same sizes, and a dead letter has room for the largest record and 64 KiB', () => {
    const sizes = topics.map(({ metadata, spec }) => [metadata.name, spec.config['max.message.bytes']])
    expect(Object.fromEntries(inCompose.map(([, name, size]) => [name, Number(size)]))).toEqual(
      Object.fromEntries(sizes),
    )
    const { 'herald-dead-letter': deadLetter, ...origins } = Object.fromEntries(sizes)
    for (const size of Object.values(origins)) expect(deadLetter).toBeGreaterThanOrEqual(Number(size) + 64 * 1024)
  })

  test('KEDA looks at each topic that is read, and never asks for more readers than partitions', () => {
    const { triggers, maxReplicaCount } = scaledObject.spec
    expect(triggers.map(({ metadata }: Manifest) => metadata.topic).sort()).toEqual(
      names.filter((name) => name !== defaultTopics.deadLetter),
    )
    const read = topics.filter(({ metadata }) => metadata.name !== defaultTopics.deadLetter)
    expect(maxReplicaCount).toBe(Math.max(...read.map(({ spec }) => spec.partitions)))
  })
})

test.each(['ingest', 'query'] as const)('the image runs %s as everything here runs it', (service) => {
  const [, stage] = read('deploy/Dockerfile').split(`FROM service AS ${service}\n`)
  const command = JSON.parse(/^CMD (.*)$/m.exec(stage ?? '')?.[1] ?? '')
  expect(command).toEqual(['node', ...nodeArguments[service], `services/${service}/dist/main.js`])
})

describe('docker-compose.yml', () => {
  const services: [string, Manifest][] = Object.entries(compose.services)

  test('publishes ports on the loopback address alone', () => {
    const ports = services.flatMap(([, { ports = [] }]) => ports)
    expect(ports.length).toBeGreaterThan(0)
    expect(ports.filter((port: string) => !port.startsWith('127.0.0.1:'))).toEqual([])
  })

  test('names each image with a version', () => {
    expect(services.filter(([, { image }]) => !/:(?!latest$)[\w.-]+$/.test(image)).map(([name]) => name)).toEqual([])
  })

  test('gives each service a policy for restarts, and what goes on running a check of its health', () => {
    expect(services.filter(([, { restart }]) => !restart).map(([name]) => name)).toEqual([])
    const unchecked = services.filter(
      ([, { restart, healthcheck, profiles }]) => restart === 'unless-stopped' && !healthcheck && !profiles,
    )
    expect(unchecked.map(([name]) => name)).toEqual([])
  })

  test.each(['ingest', 'query'])('sets nothing that %s does not know, and everything that it must have', (name) => {
    const set = Object.keys(compose.services[name].environment)
    expect(set.filter((variable) => !settingsOf(name).includes(variable))).toEqual([])
    expect(set).toEqual(expect.arrayContaining(['MONGODB_URI', 'AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URI']))
  })
})

describe.each(overlays)('overlay %s', (overlay) => {
  const rule = canRender ? test : test.skip

  rule('sets nothing that Herald does not know', async () => {
    const manifests = manifestsIn(await render(overlay))
    const known = new Set([...settingsOf('ingest'), ...settingsOf('query')])
    const settings = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && /settings/.test(metadata.name))
    const names = [
      ...Object.keys(settings.data),
      ...workloads(manifests).flatMap(({ containers }) =>
        containers.flatMap(({ env = [] }) => env.map(({ name }: Manifest) => name)),
      ),
    ]
    expect(names.filter((name) => !known.has(name))).toEqual([])
    expect(names).toEqual(expect.arrayContaining(['MONGODB_URI', 'KAFKA_BROKERS', 'AUTH_ISSUER', 'AUTH_AUDIENCE']))
  })

  rule('a release has a migrate Job of its own name, of the same image as ingest', async () => {
    const running = workloads(manifestsIn(await render(overlay)))
    const [ingest, migrate] = ['Deployment herald-ingest', 'Job herald-migrate'].map((start) =>
      running.find(({ what }) => what.startsWith(start)),
    )
    expect(migrate?.containers[0].image).toBe(ingest?.containers[0].image)
    const tag = String(ingest?.containers[0].image).split(':')[1] ?? ''
    expect(migrate?.what).toBe(`Job herald-migrate${overlay === 'local' ? '' : `-${tag.replaceAll('.', '-')}`}`)
  })
})
