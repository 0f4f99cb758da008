import type { Cluster } from './cluster.ts'
import type { Manifest } from './overlays.ts'

const everyMs = 2_000

/**
 * Reports the status of nodes simulated by kwok, which is a minute late whenever it loses its watch: a node that is silent for 50 s
 * is considered lost with its pods. Real nodes are not affected.
 */
export async function reportForSimulatedNodes({ get, kubectl }: Cluster): Promise<() => Promise<void>> {
  const patch = (kind: string, { name, namespace }: Manifest, status: object) => {
    const where = namespace === undefined ? [] : ['-n', namespace]
    return kubectl(['patch', kind, name, ...where, '--subresource=status', '--patch', JSON.stringify({ status })])
  }

  async function report(): Promise<void> {
    const nodes: Manifest[] = (await get('nodes')).items
    const simulated = nodes.filter(({ metadata }) => metadata.annotations?.['kwok.x-k8s.io/node'] !== undefined)
    if (simulated.length === 0) return
    for (const { metadata } of simulated)
      await patch('node', metadata, { conditions: [ready({ lastHeartbeatTime: now() })] })
    const names = simulated.map(({ metadata }) => metadata.name)
    const pods: Manifest[] = (await get('pods', '--all-namespaces')).items
    for (const { metadata, spec, status } of pods.filter(({ spec }) => names.includes(spec.nodeName))) {
      const { name, namespace, deletionTimestamp } = metadata
      if (deletionTimestamp !== undefined)
        await kubectl(['delete', 'pod', name, '-n', namespace, '--force', '--grace-period=0'])
      else if (spec.restartPolicy !== 'Always') await patch('pod', metadata, { phase: 'Succeeded' })
      else if (status.phase === 'Pending') await patch('pod', metadata, running(spec))
    }
  }

  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let reporting: Promise<void>
  const reportPeriodically = () => {
    // A pod may be deleted between the list and the patch.
    reporting = report().catch(() => {})
    return reporting.then(() => {
      if (!isStopped) timer = setTimeout(reportPeriodically, everyMs)
    })
  }
  await reportPeriodically()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await reporting
  }
}

const now = () => new Date().toISOString()
const ready = (more: object) => ({ type: 'Ready', status: 'True', ...more })

function running({ containers }: Manifest) {
  const state = { running: { startedAt: now() } }
  return {
    phase: 'Running',
    conditions: [ready({ lastTransitionTime: now() }), { type: 'ContainersReady', status: 'True' }],
    containerStatuses: containers.map(({ name, image }: Manifest) => ({
      name,
      image,
      imageID: image,
      state,
      ready: true,
      started: true,
      restartCount: 0,
    })),
  }
}
