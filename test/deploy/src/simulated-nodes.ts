import type { Cluster } from './cluster.ts'
import type { Manifest } from './overlays.ts'

/**
 * Nodes that kwok pretends report late where it loses its watch. A node that says nothing for 50 s is given up, its pods count as
 * gone, and pretended pods never come back: so they are reported here, too.
 */
export async function keepSimulatedNodesAlive({ get, kubectl }: Cluster): Promise<() => void> {
  const report = async () => {
    const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: new Date() }]
    const patch = JSON.stringify({ status: { conditions } })
    for (const { metadata } of (await get('nodes')).items as Manifest[]) {
      if (metadata.annotations?.['kwok.x-k8s.io/node'] === undefined) continue
      await kubectl(['patch', 'node', metadata.name, '--subresource=status', '--patch', patch])
    }
  }
  await report()
  const timer = setInterval(() => void report().catch(() => {}), 10_000)
  return () => clearInterval(timer)
}
