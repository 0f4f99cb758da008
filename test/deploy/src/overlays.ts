import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { isThere, run } from './commands.ts'

export const overlays = ['local', 'production'] as const
export type Overlay = (typeof overlays)[number]

// biome-ignore lint/suspicious/noExplicitAny: manifests of any kind; the assertions read them.
export type Manifest = any

export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Command that renders overlays: kubectl, or standalone kustomize. */
const renderer = isThere('kubectl', 'version', '--client')
  ? ['kubectl', 'kustomize']
  : isThere('kustomize', 'version')
    ? ['kustomize', 'build']
    : undefined

export const canRender = renderer !== undefined

async function build(folder: string): Promise<string> {
  const [command = '', ...args] = renderer ?? []
  return (await run(command, [...args, folder])).stdout
}

/** Renders an overlay as in the repository, including placeholders. */
export const renderAsIs = (overlay: Overlay) => build(`${root}deploy/kustomize/overlays/${overlay}`)

/** Renders an overlay as an operator applies it: a copy with all placeholders replaced. */
export async function render(overlay: Overlay): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'herald-overlay-'))
  try {
    for (const part of ['kustomize', 'compose'])
      cpSync(`${root}deploy/${part}`, join(folder, part), { recursive: true })
    const own = join(folder, 'kustomize/overlays', overlay)
    for (const name of readdirSync(own)) fillIn(join(own, name))
    return await build(own)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function fillIn(file: string) {
  const text = readFileSync(file, 'utf8')
    .replaceAll('cidr: REPLACE_ME', 'cidr: 192.0.2.0/24')
    .replaceAll('newTag: REPLACE_ME', 'newTag: 0.1.0')
    .replaceAll('migrate-REPLACE_ME', 'migrate-0-1-0')
    .replaceAll('log.REPLACE_ME', 'log.herald.example')
    .replaceAll('REPLACE_ME/herald', 'registry.example/herald')
    .replaceAll('https://REPLACE_ME/', 'https://herald.example/')
  writeFileSync(file, text)
}

export const manifestsIn = (text: string): Manifest[] => parseAllDocuments(text).map((document) => document.toJS())

/** Deployments, StatefulSets and Jobs, with the spec of their pods. */
export function workloads(manifests: readonly Manifest[]) {
  return manifests
    .filter(({ spec }) => spec?.template?.spec?.containers)
    .map(({ kind, metadata, spec }) => ({
      what: `${kind} ${metadata.name}`,
      kind: kind as string,
      /** Whether it is part of Herald, not a server that overlays/local adds. */
      isHerald: metadata.labels?.['app.kubernetes.io/part-of'] === 'herald',
      spec,
      pod: spec.template.spec,
      containers: [...(spec.template.spec.initContainers ?? []), ...spec.template.spec.containers] as Manifest[],
    }))
}
