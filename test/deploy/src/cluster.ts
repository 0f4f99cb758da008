import { run } from './commands.ts'

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
    exists: (...args: string[]) =>
      kubectl(['get', ...args]).then(
        () => true,
        () => false,
      ),
  }
}

export type Cluster = ReturnType<typeof createCluster>
