import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { isThere, run } from './commands.ts'

export const overlays = ['local', 'production'] as const
export type Overlay = (typeof overlays)[number]

// biome-ignore lint/suspicious/noExplicitAny: manifests of any kind; what is read of them is what is asserted.
export type Manifest = any

export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** What renders: kubectl, or kustomize alone. */
const renderer = isThere('kubectl', 'version', '--client')
  ? ['kubectl', 'kustomize']
  : isThere('kustomize', 'version')
    ? ['kustomize', 'build']
    : undefined

export const canRender = renderer !== undefined

export async function render(overlay: Overlay): Promise<string> {
  const [command = '', ...args] = renderer ?? []
  return (await run(command, [...args, `${root}deploy/kustomize/overlays/${overlay}`])).stdout
}

export const manifestsIn = (text: string): Manifest[] => parseAllDocuments(text).map((document) => document.toJS())

/** What runs pods: Deployments, Jobs and the like, with the pod's own part. */
export function workloads(manifests: readonly Manifest[]) {
  return manifests
    .filter(({ spec }) => spec?.template?.spec?.containers)
    .map(({ kind, metadata, spec }) => ({
      what: `${kind} ${metadata.name}`,
      kind: kind as string,
      spec,
      pod: spec.template.spec,
      containers: [...(spec.template.spec.initContainers ?? []), ...spec.template.spec.containers] as Manifest[],
    }))
}
