import { run } from './commands.ts'
import type { Manifest } from './overlays.ts'

/** kubectl for the cluster of one kubeconfig. */
export function createCluster(kubeconfig: string) {
  const kubectl = (args: readonly string[], input?: string) =>
    run('kubectl', ['--kubeconfig', kubeconfig, ...args], input === undefined ? {} : { input })

  return {
    kubectl,
    /** Applies on the server: rejects unknown fields and takes ownership of conflicting ones. */
    apply: (manifests: string, ...args: string[]) =>
      kubectl(['apply', '--server-side', '--force-conflicts', '--validate=strict', ...args, '-f', '-'], manifests),
    get: async (...args: string[]) => JSON.parse((await kubectl(['get', ...args, '-o', 'json'])).stdout),
    /** The fields of manifests that an apply owns; autoscalers own the number of replicas, controllers the status. */
    async appliedFields(manifests: string) {
      const { stdout } = await kubectl(['get', '-f', '-', '-o', 'json'], manifests)
      const items: Manifest[] = JSON.parse(stdout).items
      return items.map(({ kind, metadata: { name, labels, annotations }, spec, data }) => {
        const { replicas: _, ...fixed } = spec ?? {}
        return { kind, name, labels, annotations: kind === 'Deployment' ? undefined : annotations, spec: fixed, data }
      })
    },
    exists: (...args: string[]) =>
      kubectl(['get', ...args]).then(
        () => true,
        () => false,
      ),
  }
}

export type Cluster = ReturnType<typeof createCluster>
