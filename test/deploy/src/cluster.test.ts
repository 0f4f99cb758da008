import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createCluster } from './cluster.ts'
import { isThere } from './commands.ts'
import { installCustomResources } from './custom-resources.ts'
import { type Manifest, manifestsIn, overlays, render, workloads } from './overlays.ts'
import { reportForSimulatedNodes } from './simulated-nodes.ts'

const { HERALD_KUBECONFIG: kubeconfig = '' } = process.env
const missing = [
  ...(kubeconfig ? [] : ['HERALD_KUBECONFIG names no cluster that may be written to']),
  ...(isThere('kubectl', 'version', '--client') ? [] : ['kubectl is not on the PATH']),
  ...(isThere('go', 'version') ? [] : ['go is not on the PATH, to fetch the definitions of others']),
]
if (missing.length > 0) console.warn(`Skipped, no manifest is shown to a real API server: ${missing.join('; ')}.`)

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

  test('refuses a manifest with a field that it does not know, so what follows means something', async () => {
    const wrong = (await render('production')).replace('maxReplicaCount:', 'maxReplicas:')
    for (const name of namespaces) await cluster.kubectl(['create', 'namespace', name])
    await expect(cluster.apply(wrong, '--dry-run=server')).rejects.toThrow('.spec.maxReplicas: field not declared')
  })

  describe.each(overlays)('overlay %s', (overlay) => {
    beforeAll(async () => {
      await removeAll()
      // A dry run remembers no namespace, and looks for those that it needs.
      for (const name of namespaces) await cluster.kubectl(['create', 'namespace', name])
    })

    test('is taken as it is, in a dry run and for real, without a warning', async () => {
      const text = await render(overlay)
      const dryRun = await cluster.apply(text, '--dry-run=server')
      const applied = await cluster.apply(text)
      expect([dryRun.stderr, applied.stderr]).toEqual(['', ''])
      expect(applied.stdout.trim().split('\n')).toHaveLength(manifestsIn(text).length)
    })

    test('may be applied again, and nothing is different', async () => {
      const text = await render(overlay)
      const generations = async () => {
        const deployments = await cluster.get('deployments', '-n', 'herald')
        return deployments.items.map(({ metadata }: Manifest) => [metadata.name, metadata.generation])
      }
      const before = await generations()
      await cluster.apply(text)
      expect(before).toHaveLength(2)
      expect(await generations()).toEqual(before)
    })

    test('its pods are let in by the restricted standard, and roll out', async () => {
      if (!hasNodes) return console.warn('No node: nothing but the API server looked at these pods.')
      for (const { what } of workloads(manifestsIn(await render(overlay)))) {
        const [kind, name = ''] = what.split(' ')
        if (kind === 'Deployment') {
          await cluster.kubectl(['rollout', 'status', `deployment/${name}`, '-n', 'herald', '--timeout=120s'])
        }
      }
      const events = await cluster.get('events', '-n', 'herald')
      expect(events.items.filter(({ reason }: Manifest) => reason === 'FailedCreate')).toEqual([])
    })
  })
})
