import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { chart, production, required, templateChart, valuesFile } from './chart.ts'
import { createCluster } from './cluster.ts'
import { isThere, run } from './commands.ts'
import { installCustomResources } from './custom-resources.ts'
import { findHelm } from './helm.ts'
import { type Manifest, manifestsIn } from './overlays.ts'
import { reportForSimulatedNodes } from './simulated-nodes.ts'

const { HERALD_KUBECONFIG: kubeconfig = '' } = process.env
const canRun = kubeconfig && isThere('kubectl', 'version', '--client') && isThere('go', 'version')
const helm = canRun ? await findHelm() : undefined
if (helm === undefined)
  console.warn('Skipped installing the Helm chart: it needs HERALD_KUBECONFIG, kubectl, go and Helm.')

const namespaces = ['herald', 'kafka']
const labelled = `
apiVersion: v1
kind: Namespace
metadata:
  name: herald
  labels: { pod-security.kubernetes.io/enforce: restricted, pod-security.kubernetes.io/warn: restricted }
`
const releases = [
  {
    what: 'default values',
    values: required,
    changed: {
      ...required,
      ingest: { replicas: 3 },
      settings: { ...required.settings, LOG_LEVEL: 'debug' },
      secrets: { mongodb: 'other-mongodb' },
    },
    expected: { kind: 'Deployment', name: 'herald-ingest', spec: { replicas: 3 } },
    kept: [],
  },
  {
    what: 'every optional part',
    values: production,
    changed: {
      ...production,
      image: { ...production.image, tag: '0.2.0' },
      keda: { enabled: true, maxReplicas: 6 },
      tracing: { enabled: false },
    },
    expected: { kind: 'ScaledObject', name: 'herald-ingest', spec: { maxReplicaCount: 6 } },
    kept: ['change-events', 'herald-dead-letter', 'mention-events', 'privacy-events', 'receipt-events'],
  },
]

const onCluster = helm === undefined ? describe.skip : describe
onCluster('the Helm chart on a real API server', () => {
  const cluster = createCluster(kubeconfig)
  const folder = mkdtempSync(join(tmpdir(), 'herald-release-'))
  const onRelease = (...args: string[]) => run(helm as string, [...args, '--kubeconfig', kubeconfig, '-n', 'herald'])
  const template = (values: object) => templateChart(helm as string, folder, values)
  const upgrade = (values: object) =>
    onRelease('upgrade', '--install', 'herald', chart, '--values', valuesFile(folder, values))
  const removeAll = () =>
    cluster.kubectl(['delete', 'namespace', ...namespaces, '--ignore-not-found', '--wait', '--timeout=120s'])
  let stopReporting: (() => Promise<void>) | undefined

  beforeAll(async () => {
    await installCustomResources(cluster)
    stopReporting = await reportForSimulatedNodes(cluster)
  })
  afterAll(async () => {
    await removeAll()
    await stopReporting?.()
    rmSync(folder, { recursive: true })
  })

  describe.each(releases)('with $what', ({ values, changed, expected, kept }) => {
    beforeAll(async () => {
      await removeAll()
      await cluster.apply(labelled)
      await cluster.kubectl(['create', 'namespace', 'kafka'])
    })

    test('is accepted without warnings and installed, and installing it again changes nothing', async () => {
      const text = await template(values)
      const count = manifestsIn(text).filter(Boolean).length
      const dryRun = await cluster.apply(text, '--dry-run=server')
      expect([dryRun.stderr, dryRun.stdout.trim().split('\n').length]).toEqual(['', count])
      await upgrade(values)
      const installed = await cluster.appliedFields(text)
      expect(installed).toHaveLength(count)
      await upgrade(values)
      expect(await cluster.appliedFields(text)).toEqual(installed)
    })

    test('accepts changed values, and removes what they leave out', async () => {
      const before = manifestsIn(await template(values))
        .filter(Boolean)
        .map(nameOf)
      await upgrade(changed)
      const after = manifestsIn(await template(changed))
        .filter(Boolean)
        .map(nameOf)
      const { spec } = await cluster.get(expected.kind, expected.name, '-n', 'herald')
      expect(spec).toMatchObject(expected.spec)
      const left = before.filter((name) => !after.includes(name))
      expect(left.some((name) => name.startsWith('Job/herald-migrate-'))).toBe(true)
      for (const name of left) expect([name, await cluster.exists(name, '-n', 'herald')]).toEqual([name, false])
      const jobs: Manifest[] = (await cluster.get('jobs', '-n', 'herald')).items
      expect(jobs.map(nameOf)).toEqual(after.filter((name) => name.startsWith('Job/')))
    })

    test('uninstalling leaves nothing but the topics', async () => {
      const text = await template(changed)
      await onRelease('uninstall', 'herald')
      const { stdout } = await cluster.kubectl(['get', '-f', '-', '--ignore-not-found', '-o', 'name'], text)
      const found = stdout.split('\n').filter(Boolean)
      expect(found.sort()).toEqual(kept.map((name) => `kafkatopic.kafka.strimzi.io/${name}`))
      expect(await onRelease('list', '--all', '--short')).toMatchObject({ stdout: '' })
      const secrets: Manifest[] = (await cluster.get('secrets', '-n', 'herald')).items
      expect(secrets).toEqual([])
    })
  })
})

const nameOf = ({ kind, metadata }: Manifest) => `${kind}/${metadata.name}`
