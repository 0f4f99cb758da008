import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createCluster } from './cluster.ts'
import { isThere } from './commands.ts'
import { installCustomResources } from './custom-resources.ts'
import { type Manifest, manifestsIn, overlays, render, renderAsIs, workloads } from './overlays.ts'
import { reportForSimulatedNodes } from './simulated-nodes.ts'

const { HERALD_KUBECONFIG: kubeconfig = '' } = process.env
const missing = [
  ...(kubeconfig ? [] : ['HERALD_KUBECONFIG is not set']),
  ...(isThere('kubectl', 'version', '--client') ? [] : ['kubectl is not on the PATH']),
  ...(isThere('go', 'version') ? [] : ['go, which fetches custom resource definitions, is not on the PATH']),
]
if (missing.length > 0) console.warn(`Skipped the tests against a real API server: ${missing.join('; ')}.`)

const onCluster = missing.length > 0 ? describe.skip : describe
const namespaces = ['herald', 'kafka']

onCluster('a real API server', () => {
  const cluster = createCluster(kubeconfig)
  const removeAll = () =>
    cluster.kubectl(['delete', 'namespace', ...namespaces, '--ignore-not-found', '--wait', '--timeout=120s'])
  let hasNodes = false
  let stopReporting: (() => Promise<void>) | undefined

  beforeAll(async () => {
    await removeAll()
    await installCustomResources(cluster)
    hasNodes = (await cluster.get('nodes')).items.length > 0
    stopReporting = await reportForSimulatedNodes(cluster)
  })
  afterAll(async () => {
    await removeAll()
    await stopReporting?.()
  })

  test('rejects a manifest with an unknown field, so that later successes are meaningful', async () => {
    const wrong = (await render('production')).replace('maxReplicaCount:', 'maxReplicas:')
    for (const name of namespaces) await cluster.kubectl(['create', 'namespace', name])
    await expect(cluster.apply(wrong, '--dry-run=server')).rejects.toThrow('.spec.maxReplicas: field not declared')
  })

  test('rejects the production template until its placeholders are replaced', async () => {
    const rejected = await cluster.apply(await renderAsIs('production'), '--dry-run=server').then(
      () => '',
      (error) => String(error.stderr),
    )
    expect(rejected).toContain('"herald-migrate-REPLACE_ME" is invalid')
    expect(rejected).toContain('Invalid value: "REPLACE_ME"')
  })

  describe.each(overlays)('overlay %s', (overlay) => {
    beforeAll(async () => {
      await removeAll()
      // A dry run creates no namespaces but requires them.
      for (const name of namespaces) await cluster.kubectl(['create', 'namespace', name])
    })

    test('is accepted without warnings, in a dry run and for real', async () => {
      const text = await render(overlay)
      const dryRun = await cluster.apply(text, '--dry-run=server')
      const applied = await cluster.apply(text)
      expect([dryRun.stderr, applied.stderr]).toEqual(['', ''])
      expect(applied.stdout.trim().split('\n')).toHaveLength(manifestsIn(text).length)
    })

    test('applying it again changes nothing', async () => {
      const text = await render(overlay)
      const before = await cluster.appliedFields(text)
      await cluster.apply(text)
      expect(before).toHaveLength(manifestsIn(text).length)
      expect(await cluster.appliedFields(text)).toEqual(before)
    })

    test('its pods are admitted by the restricted standard and roll out', async () => {
      if (!hasNodes) return console.warn('The cluster has no nodes: the pods were only checked by the API server.')
      for (const { what } of workloads(manifestsIn(await render(overlay)))) {
        const [kind, name = ''] = what.split(' ')
        if (kind === 'StatefulSet') await cluster.apply(volumeFor(name))
        if (kind === 'Deployment' || kind === 'StatefulSet') {
          await cluster.kubectl(['rollout', 'status', `${kind}/${name}`, '-n', 'herald', '--timeout=120s'])
        }
      }
      const events = await cluster.get('events', '-n', 'herald')
      expect(events.items.filter(({ reason }: Manifest) => reason === 'FailedCreate')).toEqual([])
    })
  })
})

/** The volume that a provisioner would create for a StatefulSet. */
const volumeFor = (name: string) => `
apiVersion: v1
kind: PersistentVolume
metadata: { name: herald-test-${name} }
spec:
  capacity: { storage: 2Gi }
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Delete
  claimRef: { namespace: herald, name: data-${name}-0 }
  hostPath: { path: /tmp/herald-test-${name} }
`
