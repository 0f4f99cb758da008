import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'
import { run } from './commands.ts'

/** Third-party custom resource definitions, from their Go modules. */
const modules = [
  {
    name: 'sigs.k8s.io/gateway-api@v1.7.0',
    files: ['gateways', 'httproutes'].map((name) => `config/crd/standard/gateway.networking.k8s.io_${name}.yaml`),
  },
  {
    name: 'github.com/kedacore/keda/v2@v2.21.0',
    files: ['scaledobjects', 'triggerauthentications'].map((name) => `config/crd/bases/keda.sh_${name}.yaml`),
  },
  {
    name: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    files: ['servicemonitors', 'prometheusrules'].map(
      (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
    ),
  },
]
const strimzi = new URL('../crds/kafka-topic.yaml', import.meta.url)

/** Installs the custom resource definitions that the components use, and waits until they are established. */
export async function installCustomResources({ kubectl, apply }: Cluster): Promise<void> {
  const fetched = await Promise.all(
    modules.map(async ({ name, files }) => {
      // The module may need a newer Go than the one installed, which is then fetched as a module too.
      const { stdout } = await run('env', ['GOTOOLCHAIN=auto', 'go', 'mod', 'download', '-json', name])
      const { Dir } = JSON.parse(stdout) as { Dir: string }
      return files.map((file) => readFileSync(join(Dir, file), 'utf8'))
    }),
  )
  await apply([...fetched.flat(), readFileSync(strimzi, 'utf8')].join('\n---\n'))
  await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
}
